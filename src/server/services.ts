import type { Logger } from 'pino'
import type { Config, Secrets } from './config.ts'
import type { OutgoingHttp } from './lib/outgoing-http.ts'
import type { Mailer } from './mail/mail.ts'
import type { Storages } from './storage/index.ts'

/**
 * The services of a process for its use cases: built once (`openServices`) and independent of the caller. Available as
 * `ctx.services`. Anything that differs per call is input instead.
 */
export interface Services {
  config: Config
  secrets: Secrets
  /** Storage of files. */
  storages: Storages
  /** HTTP client for requests to user-supplied addresses. */
  outgoing: OutgoingHttp
  mail: Mailer
  /** Returns the current time, for rules that depend on it. */
  clock: () => Date
  log: Logger
}
