/** Most specific first: most browsers' user agents also name other browsers for compatibility. */
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFxiOS\/|\bFirefox\//, 'Firefox'],
  [/\bCriOS\/|Chrom(?:e|ium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const

const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

const find = (names: readonly (readonly [RegExp, string])[], text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/**
 * Returns the browser and the system in a `User-Agent`, such as `Chrome` and `Windows`. A property is null if it is not
 * recognised. Returns null if neither is recognised.
 */
export function deviceName(userAgent: string): { browser: string | null; system: string | null } | null {
  const [browser, system] = [find(browsers, userAgent) ?? null, find(systems, userAgent) ?? null]
  return browser || system ? { browser, system } : null
}
