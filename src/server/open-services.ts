import { pino } from 'pino'
import type { Config, Secrets } from './config.ts'
import type { Database } from './db/connection.ts'
import { createOutgoingHttp } from './lib/outgoing-http.ts'
import { createMailer } from './mailing/send-mail.ts'
import type { Services } from './services.ts'
import { openStorages } from './storage/index.ts'

/** What PostgreSQL says of the rows at fault: values of people's, which belong in no log. */
const statementDetails = ['err.detail', 'err.where', 'err.internalQuery']

/** Opens what a process works with, once. `allowPrivate`: origins in a private network that it may ask, for tests. Close it at the end. */
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
