/** The plain text of a mail as it went over the wire: its first part, whose lines may be quoted-printable. */
export function mailText(mail: string): string {
  const [, part = ''] = /content-type: text\/plain[^]*?\r\n\r\n([^]*?)\r\n--/i.exec(mail) ?? [];
  if (!/content-transfer-encoding: quoted-printable/i.test(mail)) return part;
  const bytes = part
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
