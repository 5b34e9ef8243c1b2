import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createKeyring, isEncryptionKey } from './keyring.ts'

const newKey = () => randomBytes(32).toString('base64')
const [old, present] = [newKey(), newKey()]

it('a keyring opens its sealed texts, and two sealed forms of the same text differ', () => {
  const keyring = createKeyring([present])
  const sealed = keyring.seal('秘密', 'storage 1')
  expect(keyring.open(sealed, 'storage 1')).toBe('秘密')
  expect(keyring.seal('秘密', 'storage 1')).not.toBe(sealed)
  expect(keyring.open(keyring.seal('', 'x'), 'x')).toBe('')
})

it('a keyring does not open texts that were changed, or sealed for another purpose or with another key', () => {
  const keyring = createKeyring([present])
  const sealed = keyring.seal('秘密', 'storage 1')
  const [id = '', text = ''] = sealed.split('.')
  const flipped = Buffer.from(text, 'base64url')
  flipped[20] = (flipped[20] ?? 0) ^ 1
  expect(keyring.open(sealed, 'storage 2')).toBeNull()
  for (const damaged of [
    `${id}.${flipped.toString('base64url')}`,
    `${id}.${text.slice(0, 30)}`,
    `${id}.`,
    id,
    '',
    `ffffffff.${text}`,
  ])
    expect(keyring.open(damaged, 'storage 1'), damaged).toBeNull()
  expect(createKeyring([newKey()]).open(sealed, 'storage 1')).toBeNull()
})

it('a keyring seals with its first key, and opens texts sealed with any of its keys', () => {
  const sealed = createKeyring([old]).seal('秘密', 'x')
  const both = createKeyring([present, old])
  expect(both.open(sealed, 'x')).toBe('秘密')
  expect(createKeyring([present]).open(both.seal('新しい', 'x'), 'x')).toBe('新しい')
  expect(() => createKeyring([]).seal('x', 'x')).toThrow()
})

it('isEncryptionKey accepts base64 and base64url keys of 256 bits, and no shorter or malformed keys', () => {
  expect([present, randomBytes(32).toString('base64url')].map(isEncryptionKey)).toEqual([true, true])
  expect(['', 'short', randomBytes(31).toString('base64'), `${present}!`].map(isEncryptionKey)).toEqual([
    false,
    false,
    false,
    false,
  ])
})
