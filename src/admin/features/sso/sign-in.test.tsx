import { afterEach, expect, test } from 'vitest'
import { connectedAddress, forgetCode, isConnected, readConnected, takeCode } from './sign-in.ts'

afterEach(() => {
  forgetCode()
  history.replaceState(null, '', '/')
})

test('takeCode removes the code from the URL, and returns the code until forgetCode is called', () => {
  history.replaceState(null, '', '/sso/verify#abc')
  expect(takeCode()).toBe('abc')
  expect(location.href).not.toContain('abc')
  expect(takeCode()).toBe('abc')
  forgetCode()
  expect(takeCode()).toBe('')
})

test('readConnected reads the sign-in result from a query, and isConnected rejects other data', () => {
  const address = connectedAddress('a&b')
  expect(readConnected(address.slice(address.indexOf('?')))).toEqual({
    success: true,
    errorCode: null,
    twoFactorAuth: false,
    userId: 'a&b',
    testId: null,
  })
  expect(readConnected('?success=yes&error-code=SsoRefused&trial=abc')).toMatchObject({
    success: false,
    errorCode: 'SsoRefused',
    testId: 'abc',
  })
  expect([null, 'x', {}, { success: true }].map(isConnected)).toEqual([false, false, false, false])
})
