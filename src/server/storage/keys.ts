/** A key is made of parts of letters, digits, `.`, `_` and `-`, none of which begins with a dot. */
const keyPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/

/** May this be the key of something we keep? What lies in a bucket beside ours need not be. */
export function isStorageKey(text: string): boolean {
  return text.length <= 512 && keyPattern.test(text)
}

/** Throws for what is no key: it is a mistake of ours, never a person's input. */
export function requireStorageKey(key: string): void {
  if (!isStorageKey(key)) throw new RangeError(`Not a storage key: ${JSON.stringify(key.slice(0, 100))}`)
}

/** A prefix is empty, a key, or a key and a slash. */
export function requireStoragePrefix(prefix: string): void {
  if (prefix !== '') requireStorageKey(prefix.replace(/\/$/, ''))
}
