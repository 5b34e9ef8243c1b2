import { normalizeUnicode } from '#shared/unicode.ts'

/**
 * Words that guessing programs try first, also with digits and signs around them and with common letter substitutions
 * (`P@ssw0rd!`). Includes the product's name.
 */
const words = new Set(
  `password passwort passwd pass passcode secret letmein welcome login logon admin administrator root user guest
  test testing tester demo sample example changeme change default temp master server system manager access
  iloveyou ilove love loveyou lovely princess sunshine shadow monkey dragon football baseball basketball soccer
  hockey superman batman spiderman ironman starwars pokemon pikachu naruto doraemon totoro sakura summer winter
  spring autumn monday friday january october november december michael jennifer jessica jordan daniel thomas
  charlie ashley nicole hunter ranger killer freedom whatever nothing trustno computer internet google facebook
  twitter amazon apple microsoft windows samsung android iphone linux ubuntu github wordpress blog website
  cookie chocolate banana cheese pepper ginger flower butterfly rainbow mustang ferrari porsche mercedes yamaha
  honda toyota nissan mitsubishi tokyo osaka kyoto japan nippon nihon tanaka suzuki satou sato takahashi watanabe
  arigatou ohayou konnichiwa kawaii himitsu daisuki aishiteru pasuwado qwerty qwertyuiop qwertz azerty asdf
  asdfgh asdfghjkl zxcv zxcvbn zxcvbnm qazwsx qazwsxedc qweasd qweasdzxc qwer abc abcd abcdef aaa
  imori newt cms headless content contents space project`.split(/\s+/),
)

const disguises: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
}
const undisguise = (text: string) => text.replace(/[013457@$]/g, (sign) => disguises[sign] ?? sign)

const strip = (text: string) => text.replace(/^[\d\p{P}\p{S}\s]+|[\d\p{P}\p{S}\s]+$/gu, '')

/** Sequences of keys and letters. `runs` contains them in both directions, repeated so that a run may wrap around. */
const rows = [
  '1234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'abcdefghijklmnopqrstuvwxyz',
  '1qaz2wsx3edc4rfv5tgb',
]
const runs = rows.flatMap((row) => [row.repeat(3), [...row].reverse().join('').repeat(3)])

/**
 * Checks whether a password is easy to guess: the email address or a part of it, a repetition, a run of keys, listed
 * words, or fewer than 12 characters without any letter.
 */
export function isCommonPassword(password: string, email: string): boolean {
  const text = normalizeUnicode(password, 'NFKC').toLowerCase()
  const key = email.toLowerCase()
  const [name = '', host = ''] = key.split('@')
  if (text === key || text === name || text === host) return true
  // Repetitions of one to four characters: 11111111, abcabcabc, 12121212. One further character may follow.
  if (/^(.{1,4}?)\1+.?$/u.test(text)) return true
  if (runs.some((run) => run.includes(text))) return true
  const bare = strip(text)
  if (bare === '' && text.length < 12) return true
  return [bare, undisguise(bare), strip(undisguise(text))].some(
    (core) => isMadeOf(core) || (name.length > 3 && core === strip(name)),
  )
}

/** Checks whether the text is one listed word, or two of them joined (`adminadmin`, `imoricms`, `test-user`). */
function isMadeOf(core: string): boolean {
  if (words.has(core)) return true
  for (let cut = 3; cut <= core.length - 3; cut++)
    if (words.has(core.slice(0, cut)) && words.has(core.slice(cut).replace(/^[\d\p{P}\s]+/u, ''))) return true
  return false
}
