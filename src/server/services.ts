import type { Logger } from 'pino'
import type { Config, Secrets } from './config.ts'
import type { OutgoingHttp } from './lib/outgoing-http.ts'
import type { Mailer } from './mail/mail.ts'
import type { Storages } from './storage/index.ts'

/**
 * What use-cases need of the process they run in: built once (`buildServices`), and the same whoever calls. They find it as
 * `ctx.services`; what differs from call to call is their input.
 */
export interface Services {
  config: Config
  secrets: Secrets
  /** Where files are kept. */
  storages: Storages
  /** The way out: addresses that people give are asked for through it only. */
  outgoing: OutgoingHttp
  mail: Mailer
  /** The present time, for rules that depend on it. */
  clock: () => Date
  log: Logger
}
