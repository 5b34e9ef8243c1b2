import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Db } from './scope.ts'

/** Replaces a value of a statement that is supplied on each run. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export type Placeholders<Given> = { readonly [Name in keyof Given]: RawBuilder<Given[Name]> }

/**
 * Returns a function that runs a statement. The statement is compiled once, at its first use, because compiling a large
 * statement takes several times as long as running it. `build` receives no values, so the text cannot depend on them.
 */
export function compileOnce<Given extends object, Row>(
  build: (db: Db, given: Placeholders<Given>) => CompiledQuery<Row>,
): (db: Db, given: Given) => Promise<Row[]> {
  let made: CompiledQuery<Row> | undefined
  return async (db, given) => {
    made ??= build(db, placeholdersFor(given))
    const parameters = made.parameters.map((parameter) =>
      parameter instanceof Placeholder ? given[parameter.name as keyof Given] : parameter,
    )
    const query: CompiledQuery<Row> = { ...made, parameters }
    return (await db.executeQuery(query)).rows
  }
}

function placeholdersFor<Given extends object>(given: Given): Placeholders<Given> {
  const entries = Object.keys(given).map((name) => [name, sql.val(new Placeholder(name))])
  return Object.fromEntries(entries)
}
