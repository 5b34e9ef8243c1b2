import type { Logger } from 'pino'
import type { BillingPlans } from './billing-plans.ts'
import type { Config, Secrets } from './config.ts'
import type { Mailer } from './mail/mail.ts'
import type { Outgoing } from './outgoing.ts'
import type { Storages } from './storage/index.ts'

/**
 * The services of a process for its use-cases: built once (`openServices`) and independent of the caller. Values that
 * differ per call are input instead.
 */
export interface Services {
  config: Config
  secrets: Secrets
  storages: Storages
  outgoing: Outgoing
  mail: Mailer
  plans: BillingPlans
  clock: () => Date
  log: Logger
}
