import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { safeFileName } from '#archive/names.ts'
import { RescueFailure } from '#rescue/failure.ts'
import { languageOf } from '#rescue/messages/messages.ts'
import type { RescueOptions } from '#rescue/run/options.ts'
import { isLanguage, type Language } from '#shared/languages.ts'
import { decoded, isUid, tokenIn } from './pasted.ts'

/**
 * The values from arguments and environment. Missing uids, a missing folder and a missing API token are empty strings.
 */
export type RescueArguments = RescueOptions

export type Command =
  | { name: 'help'; language: Language }
  | { name: 'verify'; language: Language; dir: string }
  | { name: 'ask'; language: Language; options: RescueArguments }
  /** One or more apps of a space, each saved into its own folder. */
  | { name: 'rescue'; language: Language; runs: RescueOptions[] }

const options = {
  space: { type: 'string' },
  app: { type: 'string', multiple: true },
  model: { type: 'string', multiple: true },
  out: { type: 'string' },
  zip: { type: 'boolean' },
  'asset-host': { type: 'string', multiple: true },
  proxy: { type: 'string' },
  origin: { type: 'string' },
  'map-host': { type: 'string', multiple: true },
  concurrency: { type: 'string' },
  'max-asset-mb': { type: 'string' },
  lang: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

type Environment = Record<string, string | undefined>

/** Parses the command line. Throws `usage`, `token_in_arguments`, `token_garbled` or `token_missing`. */
export function parseCommand(args: readonly string[], env: Environment): Command {
  // Checked first, so that no other error quotes the value.
  if (args.some((arg) => /^--?(?:[a-z]+-)*(?:token|key)\b/i.test(arg))) {
    throw new RescueFailure('token_in_arguments')
  }
  const { values, positionals } = parse(args)
  const language: Language = isLanguage(values.lang) ? values.lang : languageOf(env)
  if (values.help) return { name: 'help', language }
  const [first, second, ...others] = positionals
  if (first === 'verify' && second !== undefined && others.length === 0) {
    return { name: 'verify', language, dir: second }
  }
  if (first !== undefined) throw usage(first === 'verify' ? 'verify FOLDER' : 'unknown argument')

  const space = values.space === undefined ? '' : checked(values.space, 'space', '--space')
  const apps = parseApps(values.app ?? [], values.model ?? [])
  const given: RescueArguments = {
    space,
    app: '',
    models: [],
    tokens: {
      api: token(env.IMORI_RESCUE_API_TOKEN || env.NEWT_API_TOKEN),
      cdn: token(env.IMORI_RESCUE_CDN_TOKEN || env.NEWT_CDN_TOKEN || env.NEWT_CDN_API_TOKEN) || undefined,
    },
    out: values.out ?? '',
    proxy: values.proxy === undefined ? proxyOf(env) : parseProxy(values.proxy) || fail('--proxy'),
    zip: values.zip ?? false,
    assetHosts: (values['asset-host'] ?? []).map((host) => parseHost(host) ?? fail('--asset-host')),
    origin: values.origin === undefined ? undefined : parseOrigin(values.origin, '--origin'),
    hostMap: new Map((values['map-host'] ?? []).map(parseMapping)),
    concurrency: whole(values.concurrency, '--concurrency', 8, 32),
    maxAssetBytes: whole(values['max-asset-mb'], '--max-asset-mb', 5_000, 1_000_000) * 1_000_000,
  }
  if (!space && apps.length === 0) return { name: 'ask', language, options: given }
  if (!space) throw usage('--space')
  if (apps.length === 0) throw usage('--app')
  if (!given.tokens.api) throw new RescueFailure('token_missing')
  const outOf = (app: string) => {
    if (!given.out) return folderFor(space, app)
    return apps.length > 1 ? join(given.out, folderFor(space, app)) : given.out
  }
  const runs = apps.map(({ app, models }) => ({ ...given, app, models, out: outOf(app) }))
  return { name: 'rescue', language, runs }
}

/** Returns the proposed folder for an app's archive: `newt-acme-blog`. */
export function folderFor(space: string, app: string): string {
  return `newt-${space}-${/^[\w-]{1,64}$/.test(app) ? app : safeFileName(app)}`
}

/**
 * Parses apps and models: repeated `--app blog:article,author`, or one `--app blog` with `--model` options. Uids in
 * `--app` are percent-decoded, so that they can contain `:` or `,`.
 */
function parseApps(given: readonly string[], models: readonly string[]): { app: string; models: string[] }[] {
  const apps = new Map<string, Set<string>>()
  for (const value of given) {
    const [, app = '', list = ''] = /^([^:]*):?(.*)$/s.exec(value) ?? []
    const named = list.split(',').filter(Boolean)
    const uid = checked(decoded(app), 'app', '--app')
    const known = apps.get(uid) ?? new Set()
    for (const model of named) known.add(checked(decoded(model), 'model', '--app'))
    apps.set(uid, known)
  }
  if (models.length > 0) {
    const [only, ...others] = apps.values()
    if (!only) throw usage('--app')
    if (others.length > 0) throw usage('--app APP:MODEL,MODEL --app APP:MODEL')
    for (const model of models) only.add(checked(model, 'model', '--model'))
  }
  return [...apps].map(([app, known]) => {
    if (known.size === 0) throw usage('--model')
    return { app, models: [...known] }
  })
}

function token(value = ''): string {
  if (value.trim() === '') return ''
  const found = tokenIn(value)
  if (found === undefined) throw new RescueFailure('token_garbled')
  return found
}

/**
 * Returns the proxy for Newt's hosts from `HTTPS_PROXY` or `ALL_PROXY`. Returns undefined if `NO_PROXY` excludes Newt,
 * or if the value is not the URL of an HTTP proxy.
 */
function proxyOf(env: Environment): string | undefined {
  const exceptions = (env.NO_PROXY || env.no_proxy || '').split(',').map((entry) => entry.trim())
  if (exceptions.some((entry) => entry === '*' || /^\*?\.?newt\.so$/.test(entry))) return undefined
  return parseProxy(env.HTTPS_PROXY || env.https_proxy || env.ALL_PROXY || env.all_proxy || '')
}

function parseProxy(value: string): string | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  if (value === '' || !URL.canParse(address)) return undefined
  return /^https?:$/.test(new URL(address).protocol) ? address : undefined
}

/**
 * Returns the host from a host name (`media.example.com`) or from a URL without a path; undefined if the text is
 * neither.
 */
export function parseHost(text: string): string | undefined {
  try {
    const url = new URL(/^https?:\/\//i.test(text) ? text : `https://${text}`)
    return url.host !== '' && url.pathname === '/' && !url.username ? url.host : undefined
  } catch {
    return undefined
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: args.map(withPlainDashes), options, allowPositionals: true, strict: true })
  } catch (error) {
    // Node's message quotes the argument, which may be secret, so only the option's name is printed.
    const name = /'(--?[a-z-]{1,20})/.exec((error as Error).message)?.[1]
    throw usage(name ?? 'arguments')
  }
}

/** Replaces a leading long dash by `--`. Word processors and chats convert `--` to a long dash. */
function withPlainDashes(arg: string): string {
  return arg.replace(/^[\u2013\u2014\u2015](?=[a-z])/, '--')
}

function checked(uid: string, part: 'space' | 'app' | 'model', name: string): string {
  return isUid(uid, part) ? uid : fail(name)
}

function parseOrigin(value: string, name: string): string {
  let url: URL
  try {
    url = new URL(value)
  } catch {
    return fail(name)
  }
  const plain = /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.username
  return plain ? url.origin : fail(name)
}

function parseMapping(value: string): [string, string] {
  const [host = '', ...origin] = value.split('=')
  return [host.toLowerCase(), parseOrigin(origin.join('='), '--map-host')]
}

function whole(value: string | undefined, name: string, initial: number, most: number): number {
  if (value === undefined) return initial
  const number = Number(value)
  return Number.isInteger(number) && number >= 1 && number <= most ? number : fail(name)
}

function fail(name: string): never {
  throw usage(name)
}

function usage(reason: string): RescueFailure {
  return new RescueFailure('usage', { reason })
}
