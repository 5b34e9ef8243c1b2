/** Keys of passwords, tokens and keys, without case, hyphens and underscores. */
const secrets =
  /^(?:user|account|admin|login|hashed|encrypted)?(?:pass(?:word|wd|phrase)s?(?:hash|digest|salt|resettoken)?|pwd|passcode)$|^(?:private|secret|api|access|encryption|signing)keys?$|^(?:client|api|app|consumer|webhook|signing|otp|totp|jwt|session)?secrets?$|^(?:access|refresh|auth|api|bearer|id|reset|session|remember|csrf|confirmation|invite)tokens?$|^(?:パスワード|暗証番号|秘密鍵|apiキー)$/

/** Whether a key of a content in no known format names a password, token or key, which must not be published. */
export const isSecretKey = (key: string): boolean =>
  secrets.test(
    key
      .slice(0, 100)
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[\s_.-]+/g, ''),
  )

/** The kind of a list of users, settings or keys next to the contents in a dump of a database; undefined: contents. */
export const privateListOf = (key: string): 'account' | 'setting' | 'secret' | undefined => {
  const name = key.toLowerCase().replace(/[\s_-]+/g, '')
  if (/^(?:admin|auth|app)?(?:users?|accounts?)$/.test(name)) return 'account'
  if (/^(?:settings?|config|configurations?)$/.test(name)) return 'setting'
  return /^(?:apikeys?|credentials?|secrets?)$/.test(name) ? 'secret' : undefined
}
