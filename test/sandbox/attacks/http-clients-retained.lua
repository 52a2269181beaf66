local clients, header = {}, string.rep("x", 1e5)
while true do clients[#clients + 1] = http_client{ headers = { token = header } } end
