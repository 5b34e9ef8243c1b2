/** A key consists of segments of letters, digits, `.`, `_` and `-`, none of which starts with a dot. */
const keyPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/

/** Returns whether the text is a valid key. Other objects in a bucket may have invalid keys. */
export function isStorageKey(text: string): boolean {
  return text.length <= 512 && keyPattern.test(text)
}

/** Checks a key. Throws a `RangeError` for an invalid key, which is a programming error. */
export function requireStorageKey(key: string): void {
  if (!isStorageKey(key)) throw new RangeError(`Not a storage key: ${JSON.stringify(key.slice(0, 100))}`)
}

/** Checks a prefix: empty, a key, or a key and a slash. Throws a `RangeError` for other texts. */
export function requireStoragePrefix(prefix: string): void {
  if (prefix !== '') requireStorageKey(prefix.replace(/\/$/, ''))
}
