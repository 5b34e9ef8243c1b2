import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Db } from './scope.ts'

/** Stands in a statement for a value that is known when it runs. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** What is put in place of values while a statement is made. */
export type Placeholders<Given> = { readonly [Name in keyof Given]: RawBuilder<Given[Name]> }

/**
 * A statement whose text is made once, at its first use, and then only given its values: making that of a large one takes several
 * times as long as running it. For those that every request, or every save, comes by. `build` sees no values, so what is asked
 * cannot depend on them.
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
