import { expect, it } from 'vitest'
import { toAppError } from './errors.ts'

const reset = (message: string, more: object = {}) =>
  Object.assign(new Error(message), { code: 'ECONNRESET', ...more })

it('toAppError distinguishes a caller who disconnects from a lost connection to PostgreSQL', () => {
  expect(toAppError(reset('aborted')).code).toBe('ValidationFailed')
  expect(toAppError(reset('read ECONNRESET', { syscall: 'read' })).code).toBe('ServiceUnavailable')
})
