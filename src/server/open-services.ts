import { pino } from 'pino'
import type { Config, Secrets } from './config.ts'
import type { Database } from './db/connection.ts'
import { createOutgoingHttp } from './lib/outgoing-http.ts'
import { createMailer } from './mailing/send-mail.ts'
import type { Services } from './services.ts'
import { openStorages } from './storage/index.ts'

/** Details of PostgreSQL errors that may contain user data, which must not be logged. */
const statementDetails = ['err.detail', 'err.where', 'err.internalQuery']

/**
 * Opens the services of a process. Call it once, and close them at the end. `allowPrivate` contains origins in private
 * networks that tests may request.
 */
export function openServices(
  { config, secrets, database }: { config: Config; secrets: Secrets; database: Database },
  { allowPrivate = [] }: { allowPrivate?: string[] } = {},
): { services: Services; close(): Promise<void> } {
  const { req, res, err } = pino.stdSerializers
  const services: Services = {
    config,
    secrets,
    storages: openStorages({ config, secrets, database }),
    outgoing: createOutgoingHttp({ allowPrivate, nameServers: config.nameServers }),
    mail: createMailer(secrets),
    clock: () => new Date(),
    log: pino({
      level: config.logLevel,
      redact: ['req.headers.cookie', 'req.headers.authorization', ...statementDetails],
      serializers: { req, res, err },
    }),
  }
  return {
    services,
    async close() {
      await services.outgoing.close()
      await services.storages.close()
    },
  }
}
