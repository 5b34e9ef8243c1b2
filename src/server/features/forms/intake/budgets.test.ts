import { expect, it } from 'vitest'
import { formLimits } from '#shared/forms/fields.ts'
import { takeText } from './budgets.ts'

const { textBytesPerHour: whole } = formLimits
const minute = 60_000

it('takeText refuses more text from one address than its budget, and grants it again with time', () => {
  takeText('192.0.2.1', whole - 10, 0)
  expect(() => takeText('192.0.2.1', 20, 0)).toThrow('Too much text')
  takeText('192.0.2.2', whole, 0)
  takeText('192.0.2.1', whole / 60, minute)
  expect(() => takeText('192.0.2.1', whole / 60, minute)).toThrow('Too much text')
})

it('takeText counts a network of IPv6 as one address', () => {
  takeText('2001:db8::1', whole, 0)
  expect(() => takeText('2001:db8::2', 1, 0)).toThrow('Too much text')
})
