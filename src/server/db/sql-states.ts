/**
 * PostgreSQL's error codes by their condition names (manual, appendix A). Other files use the names instead of complete
 * codes (checked by sql-states.test.ts).
 */
const states = {
  connectionException: '08000',
  sqlclientUnableToEstablishConnection: '08001',
  connectionDoesNotExist: '08003',
  connectionFailure: '08006',
  protocolViolation: '08P01',
  featureNotSupported: '0A000',
  invalidRowCountInResultOffset: '2201X',
  numericValueOutOfRange: '22003',
  datetimeFieldOverflow: '22008',
  characterNotInRepertoire: '22021',
  invalidParameterValue: '22023',
  invalidTextRepresentation: '22P02',
  untranslatableCharacter: '22P05',
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  checkViolation: '23514',
  readOnlySqlTransaction: '25006',
  idleInTransactionSessionTimeout: '25P03',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  duplicateObject: '42710',
  duplicateDatabase: '42P04',
  insufficientResources: '53000',
  diskFull: '53100',
  outOfMemory: '53200',
  tooManyConnections: '53300',
  programLimitExceeded: '54000',
  statementTooComplex: '54001',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
  adminShutdown: '57P01',
  crashShutdown: '57P02',
  cannotConnectNow: '57P03',
} as const

type StateName = keyof typeof states

/** Returns whether this is a PostgreSQL error with one of these codes. */
export function hasState(error: unknown, ...names: StateName[]): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return names.some((name) => states[name] === code)
}

/**
 * Returns whether the error means that the columns of a table changed after the statement was prepared. A retry
 * prepares it again.
 */
export const isOldPlan = (error: unknown): boolean =>
  hasState(error, 'featureNotSupported') &&
  (error as { routine?: string }).routine === 'RevalidateCachedQuery'

/** Returns whether the error is transient, so that the transaction can be retried. */
export const isTransient = (error: unknown): boolean =>
  hasState(error, 'serializationFailure', 'deadlockDetected', 'lockNotAvailable') || isOldPlan(error)

/** Socket errors that mean PostgreSQL is unreachable. */
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])
/** Connection errors of the driver that have no code. */
const driverMessages =
  /timeout exceeded when trying to connect|Connection terminated|connection is closed|not queryable|Query read timeout/

/**
 * Returns whether the connection to PostgreSQL broke, or could not be opened. Errors of files and other servers with
 * these codes must have been converted to application errors before.
 */
export function isConnectionLost(error: unknown): boolean {
  const { code, message, syscall } = (error ?? {}) as { code?: string; message?: string; syscall?: string }
  return (
    hasState(
      error,
      'adminShutdown',
      'crashShutdown',
      'cannotConnectNow',
      'connectionException',
      'sqlclientUnableToEstablishConnection',
      'connectionDoesNotExist',
      'connectionFailure',
    ) ||
    (socketCodes.has(code ?? '') &&
      ['connect', 'read', 'write', 'getaddrinfo'].includes(syscall ?? 'write')) ||
    driverMessages.test(message ?? '')
  )
}

/**
 * Returns whether the same operation may succeed later: PostgreSQL is unreachable or overloaded, or a statement timed
 * out.
 */
export function isNotNow(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: string }
  return (
    isTransient(error) ||
    isConnectionLost(error) ||
    hasState(
      error,
      'queryCanceled',
      'idleInTransactionSessionTimeout',
      'insufficientResources',
      'outOfMemory',
      'tooManyConnections',
    ) ||
    socketCodes.has(code ?? '')
  )
}

/** Returns whether PostgreSQL refused a value that the application should have validated before. */
export const isRefusedValue = (error: unknown): boolean =>
  hasState(
    error,
    'characterNotInRepertoire',
    'untranslatableCharacter',
    'invalidParameterValue',
    'invalidTextRepresentation',
    'numericValueOutOfRange',
    'datetimeFieldOverflow',
    'invalidRowCountInResultOffset',
    'programLimitExceeded',
    'statementTooComplex',
    'protocolViolation',
    'checkViolation',
  )
