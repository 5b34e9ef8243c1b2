import { expect, it } from 'vitest'
import type { AppError } from '#shared/errors.ts'
import { formLimits } from '#shared/forms/fields.ts'
import { openForm } from './sent-form.ts'

/** Opens a form whose body arrives in chunks of `size` bytes. */
function open(contentType: string, body: string, size: number) {
  const bytes = Buffer.from(body, 'latin1')
  return openForm(formLimits, {
    headers: { 'content-type': contentType, 'content-length': String(bytes.length) },
    collect: () => {},
    async *bytes() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    },
  })
}

const body = [
  'preamble\r\n--b \r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--\r\n-b',
  '--b\r\ncontent-disposition: FORM-DATA; filename="f\\"%22.txt"; name="file; x=1"\r\nContent-Type: Text/Plain; charset=x\r\n\r\n\r\n--c\r\n',
  '--b\r\nContent-Disposition: form-data; name=a\r\n\r\n',
  '--b\r\nContent-Disposition: form-data; name="none"; filename=""\r\n\r\n',
  '--b--\r\nepilogue',
].join('\r\n')

it.each([1, 2, 3, 7, 10_000])('openForm reads multipart that arrives in chunks of %i bytes', async (size) => {
  const form = open('multipart/form-data; charset=utf-8; boundary="b"', body, size)
  const files: [string, string][] = []
  for await (const { type, bytes } of form.files) {
    const chunks: Uint8Array[] = []
    for await (const chunk of bytes) chunks.push(Uint8Array.from(chunk))
    files.push([type, Buffer.concat(chunks).toString()])
  }
  expect(files).toEqual([['text/plain', '\r\n--c\r\n']])
  expect(await form.read()).toEqual({
    values: [{ name: 'a', value: ['x\r\n--\r\n-b', ''] }],
    files: [{ name: 'file; x=1', fileName: 'f"".txt' }],
  })
})

it.each([1, 10_000])(
  'openForm skips files that are not read, and the rest of a file, in chunks of %i bytes',
  async (size) => {
    const form = open('multipart/form-data; boundary=b', body, size)
    for await (const { bytes } of form.files) for await (const _first of bytes) break
    expect((await form.read()).files).toHaveLength(1)
    expect((await open('multipart/form-data; boundary=b', body, size).read()).values).toHaveLength(1)
  },
)

// Quadratic work would exceed the time limit of the test.
it('openForm reads or rejects hostile bodies in linear time', async () => {
  const [encoded, json, parts] = [
    'application/x-www-form-urlencoded',
    'application/json',
    'multipart/form-data; boundary=b',
  ]
  const part = '--b\r\nContent-Disposition: form-data; name="a"'
  const bodies: [type: string, body: string, code: string | undefined][] = [
    [encoded, '&'.repeat(1_500_000), undefined],
    [encoded, '%'.repeat(1_500_000), 'TooManyCharacters'],
    [encoded, `a=${'%'.repeat(1_500_000)}`, 'TooLargeValue'],
    [json, '{"a":'.repeat(200_000), 'InvalidValue'],
    [json, `{"1":"${'\\"'.repeat(600_000)}"}`, 'TooLargeValue'],
    [parts, `${part}${';x="y'.repeat(1_500)}\r\n\r\n`.repeat(200), 'malformed'],
    [parts, `${part}\r\n\r\n${'\r\n--'.repeat(100_000)}`, 'malformed'],
    [parts, `${part}; filename="a"\r\n\r\n${'\r\n--'.repeat(2_000_000)}`, 'malformed'],
  ]
  for (const [type, body, code] of bodies) {
    const found = await open(type, body, 65_536)
      .read()
      .then(
        () => undefined,
        (error: AppError) => error.issues?.[0]?.code ?? 'malformed',
      )
    expect([body.slice(0, 60), found]).toEqual([body.slice(0, 60), code])
  }
})

it('openForm rejects more file inputs without a file than values', async () => {
  const input = '--b\r\nContent-Disposition: form-data; name="f"; filename=""\r\n\r\n\r\n'
  const sent = (count: number) =>
    open('multipart/form-data; boundary=b', `${input.repeat(count)}--b--`, 10_000).read()
  expect(await sent(formLimits.values)).toEqual({ values: [], files: [] })
  await expect(sent(formLimits.values + 1)).rejects.toMatchObject({
    status: 400,
    issues: [{ path: 'f', code: 'TooManyItems' }],
  } satisfies Partial<AppError>)
})
