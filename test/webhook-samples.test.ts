import { execFile, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SampleLanguage, verifySamples } from '#admin/features/webhooks/verify-samples.ts'

const run = promisify(execFile)
const key = `whsec_${Buffer.from('a key of thirty-two bytes, as is').toString('base64')}`
const body = '{"title":"いもり"}'

/** Returns the headers of a request, signed independently of the server's code. */
function headersOf({ signedWith = key, at = Date.now(), signed = body, others = [] as string[] } = {}) {
  const id = 'msg_0123456789abcdef01234567'
  const timestamp = String(Math.floor(at / 1000))
  const secret = Buffer.from(signedWith.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${signed}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': [...others, `v1,${signature}`].join(' '),
  }
}

/** Returns the headers with names in capitals (`Webhook-Id`), as PHP's `getallheaders()` does. */
const capitalized = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace(/\b[a-z]/g, (a) => a.toUpperCase()), value]),
  )

const otherKey = `whsec_${Buffer.from('another key').toString('base64')}`
const good = headersOf()
/** Name of the case, headers, and whether they are accepted. */
const cases: [string, Record<string, string>, boolean][] = [
  ['a good signature', good, true],
  ['names of headers in capitals', capitalized(good), true],
  ['names in capitals and another key', capitalized(headersOf({ signedWith: otherKey })), false],
  ['a good one behind one of another key', headersOf({ others: ['v1,AAAA', 'v1a,zzzz', 'v1,あ'] }), true],
  ['another key', headersOf({ signedWith: otherKey }), false],
  ['another body', headersOf({ signed: '{}' }), false],
  ['an hour ago', headersOf({ at: Date.now() - 3_600_000 }), false],
  ['in an hour', headersOf({ at: Date.now() + 3_600_000 }), false],
  ['no number as time', { ...good, 'webhook-timestamp': 'NaN' }, false],
  ['another id', { ...good, 'webhook-id': 'msg_other' }, false],
  [
    'another version',
    { ...good, 'webhook-signature': good['webhook-signature'].replace('v1,', 'v2,') },
    false,
  ],
  ['no headers', {}, false],
]

/**
 * How each sample is run: name of the file, code to append, and the command. The code prints a JSON list of booleans.
 */
const runners: Record<SampleLanguage, { file: string; call: string; command: string }> = {
  typescript: {
    file: 'verify.mjs',
    command: process.execPath,
    call: `
const { key, body, cases } = JSON.parse(process.argv[2])
console.log(JSON.stringify(cases.map((headers) => verifyWebhook(body, headers, key))))
`,
  },
  python: {
    file: 'verify.py',
    command: 'python3',
    call: `
import json, sys
given = json.loads(sys.argv[1])
print(json.dumps([verify_webhook(given["body"].encode(), one, given["key"]) for one in given["cases"]]))
`,
  },
  php: {
    file: 'verify.php',
    command: 'php',
    call: `
$given = json_decode($argv[1], true);
echo json_encode(array_map(fn ($one) => verifyWebhook($given['body'], $one, $given['key']), $given['cases']));
`,
  },
}

/** Returns whether the machine lacks the language of a sample. */
const isMissing = (command: string) => spawnSync(command, ['--version']).error !== undefined

describe('the code samples that verify webhook signatures', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'imori-verify-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  for (const language of Object.keys(runners) as SampleLanguage[]) {
    const { file, command, call } = runners[language]
    it.skipIf(isMissing(command))(`accept valid and reject invalid signatures in ${language}`, async () => {
      const path = join(folder, file)
      const code = verifySamples[language] + call
      // Node.js 20 does not run TypeScript.
      const isTyped = language === 'typescript'
      await writeFile(path, isTyped ? (await transform(code, { loader: 'ts', format: 'esm' })).code : code)
      const input = JSON.stringify({ key, body, cases: cases.map(([, headers]) => headers) })
      // Otherwise Python reads arguments in the encoding of the machine.
      const { stdout } = await run(command, [path, input], { env: { ...process.env, PYTHONUTF8: '1' } })
      const results: boolean[] = JSON.parse(stdout)
      expect(Object.fromEntries(cases.map(([name], index) => [name, results[index]]))).toEqual(
        Object.fromEntries(cases.map(([name, , isAccepted]) => [name, isAccepted])),
      )
    })
  }
})
