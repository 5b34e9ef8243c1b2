import type { Collector } from './collected.ts'
import { isRecord, memoize, objectOf } from './values.ts'

/**
 * Patterns for keys of passwords, tokens and secret keys, such as `smtp_password`. They match keys in lower case
 * without spaces, dots, hyphens and underscores.
 */
const secrets = [
  /(?:password|passwd|passphrase)s?(?:hash|digest|salt|resettoken|confirm|confirmation|[12])?$/,
  /^(?:passcode|(?:recovery|backup)codes?|(?:db|user|login|admin|smtp|ftp)?pwd|(?:db|user|login|admin|smtp|ftp)pass)$/,
  /(?:private|secret|api|access|encryption|signing|license)keys?(?:id)?$/,
  /^secrets?$|(?:client|api|app|consumer|webhook|signing|otp|totp|2fa|mfa|twofactor|jwt|session|oauth|shared)secrets?$/,
  /(?:access|refresh|auth|api|bearer|reset|session|remember|csrf|confirmation|verification|activation|invite|device|push|oauth|jwt)tokens?$|^idtokens?$/,
  /^(?:パスワード|暗証番号|秘密鍵|apiキー|アクセストークン)$/,
]

/** Returns whether a key names a password, token or secret key. Such values must not be published. */
export const isSecretKey = memoize((key: string): boolean => {
  const plain = key
    .slice(0, 100)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_.-]+/g, '')
  return secrets.some((pattern) => pattern.test(plain))
})

/**
 * Returns the kind of a list of users, settings or secret keys next to the contents in a database dump. undefined:
 * contents.
 */
export const privateListOf = (key: string): 'account' | 'setting' | 'secret' | undefined => {
  const name = key.toLowerCase().replace(/[\s_-]+/g, '')
  if (/^(?:admin|auth|app|wp|site)?(?:users?|accounts?)$/.test(name)) return 'account'
  if (/^(?:wp|site|app)?(?:settings?|config|configurations?)$/.test(name)) return 'setting'
  return /^(?:apikeys?|credentials?|secrets?|(?:personal|oauth)?accesstokens?|refreshtokens?|passwordresets?|passwordresettokens?)$/.test(
    name,
  )
    ? 'secret'
    : undefined
}

/** Returns whether rows with these keys are accounts. Rows about people without accounts are contents. */
export const areAccounts = (keys: readonly string[]): boolean =>
  keys.some((key) => /mail|pass|メール|パスワード/i.test(key))

/** Returns whether a value is a list of accounts, settings or secret keys in a database dump. */
function isPrivateList(key: string, value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : undefined
  if (!isRecord(first)) return false
  const kind = privateListOf(key)
  return kind === 'account' ? areAccounts(Object.keys(first)) : kind !== undefined
}

/**
 * Returns the values without passwords, tokens, secret keys and lists of accounts or settings, at any depth. The plan
 * names the omitted keys.
 */
export function withoutSecrets(
  into: Collector,
  values: Record<string, unknown>,
  path: string,
): Record<string, unknown> {
  const inside = (value: unknown, at: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => inside(item, at))
    return isRecord(value) ? withoutSecrets(into, value, at) : value
  }
  return objectOf(
    Object.entries(values).flatMap(([key, value]) => {
      const at = `${path}.${key}`
      const list = isPrivateList(key, value) ? privateListOf(key) : undefined
      if (!list && !isSecretKey(key)) return [[key, inside(value, at)] as const]
      into.leaveOut(list ?? 'secret', at, list && Array.isArray(value) ? value.length : 1)
      return []
    }),
  )
}
