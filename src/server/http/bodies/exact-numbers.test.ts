import { expect, it } from 'vitest'
import { cpuTime } from '#test/growth.ts'
import { parseJsonBody } from './validation.ts'

const parse = (text: string) => parseJsonBody(Buffer.from(text))
const pathOf = (text: string) => {
  try {
    parse(text)
  } catch (error) {
    return (error as { issues: unknown }).issues
  }
}

it.each([
  '0',
  '-0',
  '0.0',
  '0e999999999999',
  '1.0',
  '100',
  '1e2',
  '1E+2',
  '0.1',
  '-1.5e-7',
  '9007199254740992',
  '1e21',
  '100000000000000000000000',
  '5e-324',
  '1.7976931348623157e308',
  '0.30000000000000004',
  '123456789012345.0',
  '3.14159265358979300',
])('parseJsonBody accepts %s', (text) => {
  expect(parse(`{"n":${text}}`)).toEqual({ n: Number(text) })
})

it('parseJsonBody accepts pseudo-random numbers as JavaScript serializes them', () => {
  const bytes = new DataView(new ArrayBuffer(8))
  for (let n = 0; n < 2000; n++) {
    bytes.setBigUint64(0, BigInt.asUintN(64, BigInt(n + 1) * 0x9e3779b97f4a7c15n))
    const number = bytes.getFloat64(0)
    if (Number.isFinite(number)) expect(parse(JSON.stringify([number]))).toEqual([number])
  }
})

it.each([
  '1e-400',
  '-1e-400',
  '1e400',
  '9007199254740993',
  '0.1000000000000000055',
  '3.14159265358979323846',
  `1${'0'.repeat(400)}`,
  `0.${'0'.repeat(400)}1`,
])('parseJsonBody rejects %s with the path of the number', (text) => {
  expect(pathOf(`{"a":[{"b":1},{"c\\"あ":"\\\\", "n" : ${text}}]}`)).toEqual([
    { path: 'a.1.n', code: 'InvalidValue' },
  ])
  expect(pathOf(`[[1,2], ${text}]`)).toEqual([{ path: '1', code: 'InvalidValue' }])
  expect(pathOf(text)).toEqual([{ path: '', code: 'InvalidValue' }])
})

it('parseJsonBody ignores digits in texts and rejects a malformed number as malformed JSON', () => {
  expect(parse('{"1e-400":"1e-400"}')).toEqual({ '1e-400': '1e-400' })
  for (const text of ['01', '1.', '--1', '1e', '-', '1-400'])
    expect(pathOf(`[${text}]`)).toEqual([{ path: '', code: 'InvalidFormat' }])
})

it('parseJsonBody checks four megabytes of digits in less than two seconds of CPU time', () => {
  const parsing = () =>
    expect(pathOf(`[0.${'0001'.repeat(1_000_000)}]`)).toEqual([{ path: '0', code: 'InvalidValue' }])
  expect(cpuTime(parsing)).toBeLessThan(2000)
})
