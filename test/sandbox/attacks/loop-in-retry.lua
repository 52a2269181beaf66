Retry.with_backoff(function() while true do end end, {max_attempts = 100})
