import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { networkOf } from '#server/access/attempts.ts'
import { addMember, createAccount, createSpace, testPassword, unique } from '#test/factories.ts'
import { type Client, formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation?.close())

const password = 'a pond full of red newts'
const person = (email = `${unique('someone')}@example.com`) => ({ email, password })
const logIn = (client: Client, email: string, given = testPassword) =>
  client.post('/api/auth/login', { email, password: given })

describe('sign-up', () => {
  it('creates an account and signs in', async () => {
    const client = installation.visitor()
    const { email } = person('Ｈanako@例え.jp')
    const { account, errorMessage } = ok(
      await client.post('/api/auth/signup', { ...person(email), name: '花子', language: 'en' }),
    )
    expect(errorMessage).toBeNull()
    expect(account).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      email: 'Hanako@例え.jp',
      name: '花子',
      isAdmin: expect.any(Boolean),
      emailVerified: false,
      language: 'en',
      colorScheme: 'auto',
      icon: null,
    })
    expect(ok(await client.get('/api/auth/getCurrentAccount')).currentAccount).toEqual(account)
  })

  it('rejects unknown fields such as isAdmin and _id', async () => {
    const client = installation.visitor()
    for (const extra of [{ isAdmin: true }, { _id: 'a'.repeat(24) }, { emailVerified: true }]) {
      const answer = await client.post('/api/auth/signup', { ...person(), ...extra })
      expect(answer.status).toBe(400)
      expect(answer.body.issues).toEqual([{ path: Object.keys(extra)[0], code: 'UnknownField' }])
    }
  })

  it('rejects a used address, also in upper case, between spaces or with a full-width letter', async () => {
    const client = installation.visitor()
    const address = `${unique('taken')}@example.com`
    ok(await client.post('/api/auth/signup', person(address)))
    for (const email of [address, address.toUpperCase(), ` ${address} `, address.replace('t', 'ｔ')]) {
      const answer = await installation.visitor().post('/api/auth/signup', person(email))
      expect([answer.status, answer.body.code]).toEqual([409, 'EmailIsAlreadyInUse'])
    }
  })

  it.each([
    '',
    'plain',
    'a@',
    '@b.jp',
    'a b@c.jp',
    'a@b@c.jp',
    'a@-b.jp',
    'a@b..jp',
    'a\u0000@b.jp',
    'a\ud800@b.jp',
  ])('rejects %j as an address', async (email) => {
    const answer = await installation.visitor().post('/api/auth/signup', person(email))
    expect([answer.status, answer.body.issues]).toEqual([400, [{ path: 'email', code: 'InvalidFormat' }]])
  })

  it.each([
    ['variation selector', 'ta\ufe0fro@example.jp', 'U+FE0F'],
    ['ideographic variation selector', '葛\u{e0100}@example.jp', 'U+E0100'],
    ['combining grapheme joiner', 'ta\u034fro@example.jp', 'U+034F'],
    ['Hangul filler', 'ta\u3164ro@example.jp', 'U+1160'],
    ['half-width Hangul filler', 'taro@ex\uffa0ample.jp', 'U+1160'],
    ['Khmer inherent vowel', 'ta\u17b4ro@example.jp', 'U+17B4'],
    ['zero-width space', 'ta\u200bro@example.jp', 'U+200B'],
    ['zero-width joiner', 'ta\u200dro@example.jp', 'U+200D'],
    ['soft hyphen', 'ta\u00adro@example.jp', 'U+00AD'],
    ['right-to-left override', '\u202etaro@example.jp', 'U+202E'],
    ['tag character', 'taro\u{e0061}@example.jp', 'U+E0061'],
    ['Braille blank', 'ta\u2800ro@example.jp', 'U+2800'],
    ['private use', 'ta\ue000ro@example.jp', 'U+E000'],
    ['unassigned', 'ta\u0378ro@example.jp', 'U+0378'],
    ['dot on a dotted letter', 'i\u0307chiro@example.jp', 'U+0307'],
    ['quotation mark', '"taro"@example.jp', 'U+0022'],
  ])(
    'rejects an invalid character in an address (%s), and names its code point after normalization',
    async (_name, email, character) => {
      const body = { ...person(email), language: 'ja' }
      const answer = await installation.visitor().post('/api/auth/signup', body)
      expect([answer.status, answer.body.issues]).toEqual([
        400,
        [{ path: 'email', code: 'InvalidCharacter', params: { character } }],
      ])
      expect(answer.body.errorMessage).toBe(
        `使えない文字（${character}）が含まれています。入力し直してください`,
      )
    },
  )

  it.each(["o'brien+news@example.com", 'ﾀﾛｳ@例え.jp', 'が@example.jp', 'नमस्ते@example.in'])(
    'accepts %s as an address',
    async (address) => {
      ok(await installation.visitor().post('/api/auth/signup', person(address)))
    },
  )

  it('rejects an invalid invitation code, even if no code is required', async () => {
    for (const [language, errorMessage] of [
      ['ja', /^この招待は使えません/],
      ['en', /^This invitation cannot be used/],
    ] as const) {
      const { email } = person()
      const body = { ...person(email), language, invitationCode: 'abc' }
      const answer = await installation.visitor().post('/api/auth/signup', body)
      expect([answer.status, answer.body.code]).toEqual([400, 'InvalidInvitationCode'])
      expect(answer.body.errorMessage).toMatch(errorMessage)
      expect((await logIn(installation.visitor(), email, password)).status).toBe(401)
    }
  })

  it('without a `language`, returns errors in the language of the browser if supported, else in Japanese', async () => {
    const taken = (await createAccount(installation)).email
    const send = (body: object, language: string) =>
      installation.visitor().post('/api/auth/signup', body, { 'accept-language': language })
    expect((await send(person(taken), 'en-GB,en;q=0.9,ja;q=0.8')).body.errorMessage).toMatch(
      /^This e-mail|^The e-mail|e-?mail/i,
    )
    expect((await send(person(taken), 'fr')).body.errorMessage).toMatch(/^このメールアドレスは/)
    expect((await send({ ...person(), password: 'short' }, 'en')).body.errorMessage).toMatch(/password/i)
  })

  it.each([
    ['ninechars', 'TooFewCharacters'],
    ['👩‍👩‍👧‍👧', 'TooFewCharacters'],
    ['password12', 'InvalidValue'],
    ['P@ssw0rd!!', 'InvalidValue'],
    ['Passw0rd2026', 'InvalidValue'],
    ['1234567890', 'InvalidValue'],
    ['0987654321', 'InvalidValue'],
    ['1111111111', 'InvalidValue'],
    ['abcabcabcabc', 'InvalidValue'],
    ['qwertyuiop', 'InvalidValue'],
    ['imori20262026', 'InvalidValue'],
    ['newt-admin', 'InvalidValue'],
    ['iloveyou123', 'InvalidValue'],
    ['kotaro.mori', 'InvalidValue'],
    ['kotaro.mori123', 'InvalidValue'],
  ])('rejects %j as a password', async (given, code) => {
    const answer = await installation
      .visitor()
      .post('/api/auth/signup', { email: 'kotaro.mori@example.com', password: given })
    expect([answer.status, answer.body.code]).toEqual([400, 'InvalidPassword'])
    expect(answer.body.issues[0]).toMatchObject({ path: 'password', code })
  })

  it('does not trim, truncate or case-fold a password', async () => {
    const long = ` ${'長い合言葉'.repeat(204)}x `
    const email = `${unique('long')}@example.com`
    ok(await installation.visitor().post('/api/auth/signup', { email, password: long }))
    ok(await logIn(installation.visitor(), email, long))
    for (const wrong of [long.trim(), long.slice(0, 72), long.toUpperCase()])
      expect((await logIn(installation.visitor(), email, wrong)).status).toBe(401)
  })

  it('is allowed twenty times from one IP address, then returns 429', async () => {
    const client = installation.visitor()
    const signUp = async () => (await client.post('/api/auth/signup', person())).status
    for (let n = 0; n < 2; n++) expect(await signUp()).toBe(200)
    // Simulates all but one of the allowed sign-ups.
    const { pool } = installation.database
    const change = 'UPDATE attempt SET count = 19 WHERE key = $1 AND count = 2'
    expect((await pool.query(change, [`signup:${client.ip}`])).rowCount).toBe(1)
    expect([await signUp(), await signUp()]).toEqual([200, 429])
  })

  it('returns 429 for used and unused email addresses after five 409 responses to one IP address', async () => {
    const taken = (await createAccount(installation)).email
    const client = installation.visitor()
    const signUp = (email: string) => client.post('/api/auth/signup', person(email))
    const free = `${unique('free')}@example.com`
    for (let n = 0; n < 4; n++) expect((await signUp(taken)).status).toBe(409)
    // A sign-up with an unused email address is not counted.
    ok(await signUp(`${unique('free')}@example.com`))
    expect((await signUp(taken)).status).toBe(409)
    const [hit, miss] = [await signUp(taken), await signUp(free)]
    for (const answer of [hit, miss]) {
      expect([answer.status, answer.body.code]).toEqual([429, 'TooManyRequests'])
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3500)
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(3600)
    }
    expect(Object.keys(hit.body)).toEqual(Object.keys(miss.body))
    ok(await installation.visitor().post('/api/auth/signup', person(free)))
  })

  it('returns 429 after twenty 409 responses about one email address, even to different IP addresses', async () => {
    const { email } = await createAccount(installation)
    const statuses: number[] = []
    for (let n = 0; n < 21; n++)
      statuses.push((await installation.visitor().post('/api/auth/signup', person(email))).status)
    expect(statuses).toEqual([...Array(20).fill(409), 429])
  })

  it('creates one account for sixteen concurrent requests with the same address', async () => {
    const email = `${unique('race')}@example.com`
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => installation.visitor().post('/api/auth/signup', person(email))),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(15).fill(409)])
  })
})

describe('the first accounts', () => {
  it('include a single admin of the installation if eight are created concurrently', async () => {
    const fresh = await startInstallation()
    try {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => fresh.visitor().post('/api/auth/signup', person())),
      )
      expect(answers.map((answer) => ok(answer).account.isAdmin).filter(Boolean)).toHaveLength(1)
    } finally {
      await fresh.close()
    }
  })
})

describe('log-in', () => {
  it('creates a new session and ends the previous session of the browser', async () => {
    const account = await createAccount(installation)
    const client = installation.visitor()
    const { user, authenticatingUserId } = ok(await logIn(client, account.email.toUpperCase()))
    expect(user._id).toBe(account.id)
    expect(authenticatingUserId).toBeNull()
    const first = new Map(client.cookies)
    ok(await logIn(client, account.email))
    expect(client.cookies.get('sid')).not.toBe(first.get('sid'))
    const thief = installation.visitor()
    thief.cookies.set('sid', first.get('sid') ?? '')
    expect(ok(await thief.get('/api/auth/getCurrentAccount')).currentAccount).toBeNull()
    expect(thief.cookies.size).toBe(0)
  })

  it('accepts the address of an existing account with a character that new addresses may not contain', async () => {
    const email = `${unique('old')}\u034f@example.com`
    await createAccount(installation, { email })
    ok(await logIn(installation.visitor(), email.toUpperCase()))
  })

  it('does not adopt a session id that the client sends', async () => {
    const account = await createAccount(installation)
    const client = installation.visitor()
    client.cookies.set('sid', 'chosen-by-somebody-else')
    ok(await logIn(client, account.email))
    expect(client.cookies.get('sid')).not.toBe('chosen-by-somebody-else')
  })

  it('returns the same status and body for an unknown address and a wrong password', async () => {
    const account = await createAccount(installation)
    const answers = [
      await logIn(installation.visitor(), account.email, 'not it, sorry'),
      await logIn(installation.visitor(), 'nobody@example.com', 'not it, sorry'),
      await logIn(installation.visitor(), 'no address\u0000', 'not it, sorry'),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect(answer.text).toBe(answers[0]?.text)
      expect(Object.keys(answer.headers)).toEqual(Object.keys(answers[0]?.headers ?? {}))
    }
    expect(answers[0]?.body.code).toBe('IncorrectPassword')
  })

  it('stores neither the session id nor the password in plain text', async () => {
    const client = installation.visitor()
    const { account } = ok(await client.post('/api/auth/signup', person()))
    ok(await logIn(client, account.email, password))
    const stored = await installation.database.kysely.selectFrom('session').selectAll().execute()
    const id = client.cookies.get('sid') ?? ''
    expect(stored.some((row) => row.id_hash.toString().includes(id) || row.csrf_token === id)).toBe(false)
    const { password_hash } = await installation.database.kysely
      .selectFrom('account')
      .select('password_hash')
      .where('id', '=', account._id)
      .executeTakeFirstOrThrow()
    expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })
})

describe('the limit on guessing', () => {
  const guess = (client: Client, email: string, headers?: Record<string, string>) =>
    client.post('/api/auth/login', { email, password: 'guess guess guess' }, headers)

  it('allows ten guesses at one account from one network, then returns 429 even for the correct password', async () => {
    const account = await createAccount(installation)
    const client = installation.visitor()
    for (let n = 0; n < 10; n++)
      expect(
        (
          await guess(client, account.email, {
            'x-forwarded-for': `203.0.113.${n}`,
            forwarded: `for=9.9.9.${n}`,
          })
        ).status,
      ).toBe(401)
    const answer = await logIn(client, account.email)
    expect([answer.status, answer.body.code]).toEqual([429, 'TooManyRequests'])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(800)
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(900)
    // The installation's audit log contains the rejection by the limit.
    const entries = installation.database.kysely.selectFrom('audit_entry').where('ip', '=', client.ip)
    const newest = entries.select(['act', 'outcome']).orderBy('id', 'desc').limit(1)
    expect(await newest.executeTakeFirst()).toEqual({ act: 'account.login', outcome: 'TooManyRequests' })
    // IP addresses of the same /24 network are counted together. The owner can still sign in from another network.
    client.ip = client.ip.replace(/\d+$/, '200')
    expect((await logIn(client, account.email)).status).toBe(429)
    ok(await logIn(installation.visitor(), account.email))
  })

  it('allows ten guesses at an unknown email address from one network, then returns 429', async () => {
    const client = installation.visitor()
    const statuses = []
    for (let n = 0; n < 11; n++) statuses.push((await guess(client, 'nobody-at-all@example.com')).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429])
  })

  it('counts concurrent guesses', async () => {
    const account = await createAccount(installation)
    const client = installation.visitor()
    const answers = await Promise.all(Array.from({ length: 24 }, () => guess(client, account.email)))
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(10)
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(14)
  })

  it('returns 429 to a network after a hundred guesses at different email addresses', async () => {
    const client = installation.visitor()
    const guessNext = async (n: number) => (await guess(client, `victim-${n}@example.com`)).status
    for (let n = 0; n < 10; n++) expect(await guessNext(n)).toBe(401)
    // Each attempt was counted once. Simulates all but one of the allowed attempts.
    const { pool } = installation.database
    const change = 'UPDATE attempt SET count = 99 WHERE key = $1 AND count = 10'
    expect((await pool.query(change, [`network:${networkOf(client.ip)}`])).rowCount).toBe(1)
    expect([await guessNext(99), await guessNext(100)]).toEqual([401, 429])
  })

  /** Simulates the maximum number of attempts from unknown networks. Changes the counters of all accounts. */
  async function exhaustStrangers(email: string) {
    for (const [kind, limit] of [
      ['account', 100],
      ['slow', 5],
    ] as const) {
      expect((await guess(installation.visitor(), email)).status).toBe(401)
      const { pool } = installation.database
      await pool.query('UPDATE attempt SET count = $2 WHERE key LIKE $1', [`${kind}:%`, limit])
    }
  }

  it('allows a hundred guesses at one account from unknown networks, then five per 15 minutes', async () => {
    const account = await createAccount(installation)
    for (let network = 0; network < 11; network++) {
      const stranger = installation.visitor()
      for (let n = 0; n < (network < 10 ? 10 : 5); n++)
        expect((await guess(stranger, account.email)).status).toBe(401)
    }
    const answer = await guess(installation.visitor(), account.email)
    expect(answer.status).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(900)
    // After 15 minutes, unknown networks have five more attempts. The owner can also sign in from a new network.
    await installation.database.pool.query(
      `UPDATE attempt SET window_start = window_start - interval '15 minutes' WHERE key LIKE 'slow:%'`,
    )
    ok(await logIn(installation.visitor(), account.email))
    for (let n = 0; n < 5; n++) expect((await guess(installation.visitor(), account.email)).status).toBe(401)
    expect((await guess(installation.visitor(), account.email)).status).toBe(429)
  })

  it('for unknown networks does not apply to a network or browser of an earlier sign-in or sign-up', async () => {
    const account = await createAccount(installation)
    const home = installation.visitor()
    ok(await logIn(home, account.email))
    const cafe = installation.visitor()
    const own = person()
    ok(await cafe.post('/api/auth/signup', own))
    for (const { email } of [account, own]) await exhaustStrangers(email)
    for (const [client, email, password] of [
      [home, account.email, testPassword],
      [cafe, own.email, own.password],
    ] as const) {
      const elsewhere = installation.visitor()
      expect((await logIn(elsewhere, email, password)).status).toBe(429)
      // Sign-in works from a known network with any browser, and in a known browser from any network.
      const otherBrowser = installation.visitor()
      otherBrowser.ip = client.ip
      ok(await logIn(otherBrowser, email, password))
      client.ip = elsewhere.ip
      ok(await logIn(client, email, password))
    }
  })

  it('allows thirty extra guesses with the cookie of a known browser, but none with a forged cookie', async () => {
    const [mine, other] = [await createAccount(installation), await createAccount(installation)]
    const browser = installation.visitor()
    ok(await logIn(browser, mine.email))
    const device = browser.cookies.get('device') ?? ''
    for (const { email } of [mine, other]) await exhaustStrangers(email)
    const attempt = (cookie: string, email: string) => {
      const thief = installation.visitor()
      thief.cookies.set('device', cookie)
      return guess(thief, email)
    }
    expect((await attempt(device, other.email)).status).toBe(429)
    const [id, day, mac = ''] = device.split('.')
    for (const forged of [
      `${id}.${Number(day) + 1}.${mac}`,
      `${'A'.repeat(22)}.${day}.${mac}`,
      `${id}.${day}.${mac.split('').reverse().join('')}`,
      `${id}.1.${mac}`,
      `${id}`,
      '',
    ])
      expect((await attempt(forged, mine.email)).status).toBe(429)
    const statuses = []
    for (let n = 0; n < 31; n++) statuses.push((await attempt(device, mine.email)).status)
    expect(statuses).toEqual([...Array(30).fill(401), 429])
  })

  it('marks a known browser by a cookie that scripts cannot read', async () => {
    const account = await createAccount(installation)
    const answer = await logIn(installation.visitor(), account.email)
    const cookies = [answer.headers['set-cookie']].flat().map(String)
    expect(cookies.find((cookie) => cookie.startsWith('device='))).toMatch(
      /; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect((await guess(installation.visitor(), account.email)).headers['set-cookie']).toBeUndefined()
  })

  it("resets a network's count for one account after the correct password of that account", async () => {
    const [mine, other] = [await createAccount(installation), await createAccount(installation)]
    const client = installation.visitor()
    for (let n = 0; n < 9; n++) await guess(client, mine.email)
    for (let n = 0; n < 9; n++) await guess(client, other.email)
    ok(await logIn(client, mine.email))
    for (let n = 0; n < 9; n++) expect((await guess(client, mine.email)).status).toBe(401)
    expect((await guess(client, other.email)).status).toBe(401)
    expect((await guess(client, other.email)).status).toBe(429)
  })
})

describe('a session', () => {
  it('ends with the sign-out', async () => {
    const { client } = await createAccount(installation)
    const cookie = client.cookies.get('sid') ?? ''
    ok(await client.post('/api/auth/logout'))
    expect(client.cookies.size).toBe(0)
    client.cookies.set('sid', cookie)
    expect(ok(await client.get('/api/auth/getCurrentAccount'))).toEqual({
      currentAccount: null,
      sendsMail: false,
    })
  })

  it('has an HttpOnly, SameSite=Lax cookie; over https with the __Host- prefix and Secure', async () => {
    const { email } = await createAccount(installation)
    const cookie = String((await logIn(installation.visitor(), email)).headers['set-cookie'])
    expect(cookie).toMatch(/^sid=[\w-]{43}; /)
    expect(cookie).toMatch(/HttpOnly/)
    expect(cookie).toMatch(/SameSite=Lax/)
    expect(cookie).not.toMatch(/Secure|Domain/)
    const secure = await startInstallation({ IMORI_URL: 'https://cms.example.com' })
    try {
      const other = await createAccount(secure)
      const answer = await logIn(secure.visitor(), other.email)
      expect(String(answer.headers['set-cookie'])).toMatch(
        /^__Host-sid=[\w-]{43}; .*Path=\/; .*HttpOnly; Secure/,
      )
    } finally {
      await secure.close()
    }
  })

  it('does not exist without a cookie: the CSRF token and the account are null', async () => {
    const client = installation.visitor()
    expect(ok(await client.get('/api/auth/csrfToken'))).toEqual({ csrfToken: null })
    expect(ok(await client.get('/api/auth/getCurrentAccount'))).toEqual({
      currentAccount: null,
      sendsMail: false,
    })
  })

  it('ends after twelve idle hours and after fourteen days', async () => {
    for (const change of [
      { last_seen_at: new Date(Date.now() - 12.01 * 3_600_000) },
      { created_at: new Date(Date.now() - 14.01 * 86_400_000) },
    ]) {
      const { client, id } = await createAccount(installation)
      await installation.database.kysely
        .updateTable('session')
        .set(change)
        .where('account_id', '=', id)
        .execute()
      expect((await client.get('/api/project')).status).toBe(401)
    }
  })

  it('is one of at most twenty per account', async () => {
    const account = await createAccount(installation)
    for (let n = 0; n < 21; n++) ok(await logIn(installation.visitor(), account.email))
    const sessions = await installation.database.kysely
      .selectFrom('session')
      .select('id_hash')
      .where('account_id', '=', account.id)
      .execute()
    expect(sessions.length).toBeLessThanOrEqual(20)
  })
})

describe('an account', () => {
  it('can be changed by its owner, but not by another user', async () => {
    const [me, other] = [await createAccount(installation), await createAccount(installation)]
    const data = { name: '新しい名前', language: 'en', colorScheme: 'dark' }
    expect(ok(await me.client.put(`/api/account/${me.id}`, { data })).account).toMatchObject(data)
    expect(ok(await me.client.put(`/api/account/${me.id}`, { data: {} })).account).toMatchObject(data)
    const foreign = await me.client.put(`/api/account/${other.id}`, { data })
    const unknown = await me.client.put(`/api/account/${'0'.repeat(24)}`, { data })
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text])
    expect((await me.client.put(`/api/account/${me.id}`, { data: { isAdmin: true } })).status).toBe(400)
  })

  it('has a picture that signed-in users can read until it is replaced', async () => {
    const [me, other] = [await createAccount(installation), await createAccount(installation)]
    const icon = async (color: string) => {
      const bytes = await sharp({ create: { width: 30, height: 20, channels: 3, background: color } })
        .png()
        .toBuffer()
      return me.client.post(`/api/account/${me.id}/icon`, formOf({ name: 'a.png', type: 'image/png', bytes }))
    }
    const { src } = ok(await icon('red')).account.icon
    expect(ok(await me.client.get('/api/auth/getCurrentAccount')).currentAccount.icon).toEqual({ src })
    const seen = await other.client.get(src)
    expect([seen.status, seen.headers['content-type'], seen.headers['cache-control']]).toEqual([
      200,
      'image/webp',
      'private, max-age=31536000, immutable',
    ])
    expect(await sharp(seen.bytes).metadata()).toMatchObject({ width: 20, height: 20 })
    expect((await installation.visitor().get(src)).status).toBe(401)

    const { uid, url } = await createSpace(me.client)
    await addMember(installation, { uid }, other)
    const { members } = ok(await other.client.get(`${url}/members`))
    expect(members.map((member: { icon: unknown }) => member.icon)).toEqual([{ src }, null])

    const { src: next } = ok(await icon('blue')).account.icon
    expect([(await other.client.get(src)).status, (await other.client.get(next)).status]).toEqual([404, 200])
    const form = formOf({ name: 'a.txt', type: 'text/plain', bytes: 'hello' })
    expect((await me.client.post(`/api/account/${me.id}/icon`, form)).status).toBe(415)
    expect((await other.client.post(`/api/account/${me.id}/icon`, form)).status).toBe(404)
    const gone = ok(await me.client.put(`/api/account/${me.id}`, { data: { name: '別名', icon: null } }))
    expect(gone.account).toMatchObject({ name: '別名', icon: null })
    expect((await me.client.get(next)).status).toBe(404)
    expect((await me.client.get(`/api/account/${me.id}/icon/x`)).status).toBe(404)
  })
})
