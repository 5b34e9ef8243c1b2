import { expect, it } from 'vitest'
import { cpuTime } from '#test/growth.ts'
import { safeFileName } from './file-name.ts'

it.each([
  ['写真 1.png', '写真 1.png'],
  ['か\u3099そ\u3099う.png', 'がぞう.png'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\花子\\写真.jpg', '写真.jpg'],
  ['a/b/', 'b'],
  ['..', 'file'],
  ['', 'file'],
  ['.htaccess', 'htaccess'],
  ['name. . ', 'name'],
  ['evil\u202Egnp.exe', 'evilgnp.exe'],
  ['a\u0000b\r\nc\u007f.txt', 'abc.txt'],
  ['a<b>:"|?*.txt', 'a_b______.txt'],
  ['CON', '_CON'],
  ['nul.txt', '_nul.txt'],
  ['console.txt', 'console.txt'],
  ['a\u3000b\t c.txt', 'a b c.txt'],
  ['\ud800.png', '�.png'],
  ['👨‍👩‍👧.png', '👨‍👩‍👧.png'],
])('safeFileName converts %j to %j', (given, kept) => {
  expect(safeFileName(given)).toBe(kept)
})

it('safeFileName converts a name with thousands of dots 200 times in less than 2.5 seconds of CPU time', {
  tags: ['full'],
}, () => {
  const reading = () => {
    for (let count = 0; count < 200; count++) expect(safeFileName(`a${'.'.repeat(9_990)}b`)).toHaveLength(255)
  }
  // A scan with quadratic time in the number of dots would take many seconds.
  expect(cpuTime(reading)).toBeLessThan(2_500)
})

it('safeFileName shortens a name without splitting a character, and keeps a short extension', () => {
  const long = safeFileName(`${'あ'.repeat(300)}.png`)
  expect(long).toBe(`${'あ'.repeat(83)}.png`)
  expect(Buffer.byteLength(safeFileName(`${'👍'.repeat(100)}`))).toBe(252)
  expect(safeFileName(`a.${'b'.repeat(300)}`)).toHaveLength(255)
  expect(safeFileName(safeFileName(`${'x'.repeat(300)}.jpeg`))).toBe(`${'x'.repeat(250)}.jpeg`)
})
