import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { isOldPlan } from './sql-states.ts'

const preparedFrom = 3
/** Maximum number of prepared statements. Connections keep them until they are closed. */
const maximumPrepared = 300
type Query = (query: { name: string; text: string; values: unknown[] }, callback?: Callback) => unknown
type Callback = (error: Error | undefined, result?: unknown) => void

/**
 * Returns a client class for one pool that prepares frequently used statements with parameters. PostgreSQL then parses
 * a statement once per connection, and can reuse its plan. Parsing and planning are most of the cost of a small
 * statement.
 */
export function preparingClient(Client: typeof pg.Client = pg.Client): typeof pg.Client {
  const uses = new LRUCache<string, number>({ max: 1000 })
  const names = new Map<string, string>()
  let named = 0

  function nameOf(text: string): string | undefined {
    const known = names.get(text)
    if (known !== undefined || names.size >= maximumPrepared) return known
    const count = (uses.get(text) ?? 0) + 1
    if (count < preparedFrom) {
      uses.set(text, count)
      return undefined
    }
    uses.delete(text)
    const name = `statement ${++named}`
    names.set(text, name)
    return name
  }

  const forget = (text: string, error: unknown) => {
    if (isOldPlan(error)) names.delete(text)
  }

  return class PreparingClient extends Client {
    // Handles only the overload with a text and values.
    override query(...given: unknown[]): never {
      const query = super.query as unknown as (...given: unknown[]) => unknown
      const [text, values, callback] = given
      const name =
        typeof text === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined
      if (name === undefined) return query.apply(this, given) as never
      const statement = { name, text: text as string, values: values as unknown[] }
      if (typeof callback === 'function')
        return (query as Query).call(this, statement, (error, result) => {
          forget(statement.text, error)
          callback(error, result)
        }) as never
      const result = query.call(this, statement) as Promise<unknown>
      result.catch((error: unknown) => forget(statement.text, error))
      return result as never
    }
  }
}
