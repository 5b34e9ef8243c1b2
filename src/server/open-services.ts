import { pino } from 'pino'
import { type BillingPlans, communityPlans } from './billing-plans.ts'
import type { Config, Secrets } from './config.ts'
import type { Database } from './db/connection.ts'
import { createMailer } from './mailing/send-mail.ts'
import { createOutgoing } from './outgoing.ts'
import type { Services } from './services.ts'
import { openStorages } from './storage/index.ts'

/** Details of PostgreSQL errors that may contain user data, which must not be logged. */
const statementDetails = ['err.detail', 'err.where', 'err.internalQuery']

/** Opens the services of a process. Call it once, and close them at the end. */
export function openServices({
  config,
  secrets,
  database,
  plans = communityPlans,
}: {
  config: Config
  secrets: Secrets
  database: Database
  plans?: BillingPlans
}): { services: Services; close(): Promise<void> } {
  const { req, res, err } = pino.stdSerializers
  const outgoing = createOutgoing(config.outgoing)
  const services: Services = {
    config,
    secrets,
    storages: openStorages({ config, secrets, database, outgoing }),
    outgoing,
    mail: createMailer(secrets),
    plans,
    clock: () => new Date(),
    log: pino({
      level: config.logLevel,
      redact: ['req.headers.cookie', 'req.headers.authorization', ...statementDetails],
      serializers: { req, res, err },
    }),
  }
  return { services, close: () => outgoing.close() }
}
