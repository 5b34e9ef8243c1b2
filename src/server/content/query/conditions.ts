import { type Field, isMultiple } from '#shared/fields/index.ts'
import { serverTypeOf } from '../fields/index.ts'
import { type ContentModel, comparisonOf } from '../model.ts'
import { hashUniqueValue, isUnique } from '../unique.ts'
import { castOf, column, fieldId, hasStatus, innerKey, integer, jsonOf, plain } from './row-sql.ts'
import { isAmong, placeOf, StatementWriter } from './statement-writer.ts'
import {
  type Condition,
  type FieldPlace,
  type Inside,
  isInner,
  isOnly,
  type Leaf,
  type OrderKey,
  type Span,
  type Test,
  type Value,
} from './tree.ts'

/**
 * Converts a parsed query to SQL. The literals in its conditions are integer model keys, validated 24-hex field `_id`s,
 * and keys and types of items, all from the registry. They are literals so that partial indexes of one model and
 * indexes on `pub->'<field>'` apply. Client text is passed as parameters.
 *
 * A single value is read as `values->'<field>'->0` or `->>0`: this reads the value itself, or the first item if the
 * field was multiple before. Text is compared by code points (COLLATE "C"). Empty values come last in both directions.
 * `_id` breaks ties.
 *
 * No plan may depend on PostgreSQL's row estimates, because newly written content has no statistics. Therefore a filter
 * through references runs once, as a separate step (`WITH … AS MATERIALIZED`). The results of steps and of text
 * searches are tested with `(x IN (SELECT …)) IS TRUE`, which PostgreSQL does not convert to a join.
 */
export class SqlWriter extends StatementWriter {
  /** Names of the steps that resolve the references of a test, by the number of references already followed. */
  private readonly found = new Map<Test, string[]>()

  /** Returns the condition for rows of a model that satisfy all of `conditions` and contain every word of `search`. */
  where(model: ContentModel, conditions: Condition[], search: string[] = []): string {
    const parts = conditions.map((condition) => this.condition(condition, 'd', model))
    if (search.length > 0) parts.push(isAmong('d.id', this.inTexts(this.wanted(search, model), model)))
    return this.and(model, parts)
  }

  /** Returns the condition for rows of a model that satisfy conditions which are already SQL. */
  and(model: ContentModel, conditions: string[]): string {
    return [this.rows('d', model), ...conditions.filter((condition) => condition !== 'TRUE')].join(' AND ')
  }

  /** Returns the ORDER BY terms, ending with `_id`. Alias `''`: columns without a table alias. */
  order(keys: OrderKey[], alias = 'd'): string {
    const terms = keys.map(({ leaf, descending }) => {
      const direction = descending ? ' DESC' : ''
      return `${this.expression(leaf, alias)}${direction}${this.isNeverNull(leaf) ? '' : ' NULLS LAST'}`
    })
    const total = keys.some(({ leaf }) => leaf.kind === 'system' && leaf.name === '_id')
    return [...terms, ...(total ? [] : [column(alias, 'id')])].join(', ')
  }

  condition(condition: Condition, alias: string, model: ContentModel): string {
    switch (condition.kind) {
      case 'and':
      case 'or': {
        const items = condition.items.map((item) => this.condition(item, alias, model))
        return condition.kind === 'and' ? all(items) : `(${items.join(' OR ')})`
      }
      case 'not':
        return `(${this.condition(condition.item, alias, model)}) IS NOT TRUE`
      case 'test':
        return this.through(condition, 0, alias, model)
    }
  }

  /**
   * Returns SQL that applies the test to a row, or to the contents that the row refers to. `passed`: the number of
   * reference fields of `via` already followed.
   */
  private through(test: Test, passed: number, alias: string, model: ContentModel): string {
    const step = test.via[passed]
    if (!step) return this.leafTest(test, alias, model)
    const found = `SELECT id FROM ${this.referred(test, passed)}`
    return this.inItems(step, alias, (place, at) =>
      isMultiple(step.field)
        ? this.anyItem(place, at, (item) => isAmong(item, found))
        : isAmong(this.single(place, at), found),
    )
  }

  private leafTest(test: Test, alias: string, model: ContentModel): string {
    const { leaf } = test
    if (leaf.kind === 'system' || !leaf.inside) return this.test(test, alias, model)
    const holds = this.inItems(leaf, alias, (place, at) =>
      test.operator === 'match'
        ? this.matches(place, at, test.text)
        : this.test({ ...test, leaf: { kind: 'field', ...place } }, at, model),
    )
    // The first condition finds the documents that contain the text in any value of the field. Only the items of these
    // documents are expanded.
    return test.operator === 'match' ? all([this.test(test, alias, model), holds]) : holds
  }

  /**
   * Returns the condition that one of the inner values contains the text. The index of texts does not separate inner
   * values from their neighbours.
   */
  private matches(place: FieldPlace, alias: string, text: string): string {
    const wanted = this.parameter(text, 'text')
    const { sqlText = (value: string) => value } = serverTypeOf(place.field)
    const contains = (value: string) => `strpos(lower(normalize(${sqlText(value)}, NFKC)), ${wanted}) > 0`
    if (isMultiple(place.field)) return this.anyItem(place, alias, contains)
    return `coalesce(${contains(this.single(place, alias))}, FALSE)`
  }

  /** Returns the condition that `holds` is true for one of several values, as text. */
  private anyItem(place: FieldPlace, alias: string, holds: (item: string) => string): string {
    const item = `i${++this.aliases}`
    return (
      `EXISTS (SELECT FROM jsonb_path_query(${this.json(place, alias)}, '$[*]') ${item}(value)` +
      ` WHERE ${holds(`(${item}.value #>> '{}') COLLATE "C"`)})`
    )
  }

  /**
   * Returns the condition that `holds` is true in one of the items that may contain the value. `holds` receives the
   * position of the value within an item.
   */
  private inItems(
    place: FieldPlace,
    alias: string,
    holds: (place: FieldPlace, alias: string) => string,
  ): string {
    const { inside = [] } = place
    const last = inside.findLastIndex((item) => !isOnly(item))
    const innermost = inside[last]
    if (!innermost) return holds(place, alias)
    const item = `i${++this.aliases}`
    this.itemKeys.set(item, innerKey(innermost))
    let path = '$'
    let key = this.firstKey(place, alias)
    for (const around of inside.slice(0, last + 1)) {
      path += `."${key}"${isMultiple(around.field) ? '[*]' : '[0]'}${framed(around)}`
      key = innerKey(around)
    }
    const rest = inside.slice(last + 1)
    const within = { field: place.field, ...(rest.length > 0 ? { inside: rest } : {}) }
    return `EXISTS (SELECT FROM jsonb_path_query(${this.around(alias)}, '${path}') ${item}(value) WHERE ${holds(within, item)})`
  }

  /**
   * Returns the name of the step that selects the `id`s of the contents, after `passed` references, for which the test
   * is true.
   */
  referred(test: Test, passed = 0): string {
    const names = this.found.get(test) ?? []
    this.found.set(test, names)
    const target = test.via[passed]?.target
    if (!target) throw new TypeError('a test that goes through no reference')
    const known = names[passed]
    if (known) return known
    this.modelIds.add(target.id)
    const next = `r${++this.aliases}`
    const holds = this.through(test, passed + 1, next, target)
    const name = this.step(
      `SELECT ${next}.id::text COLLATE "C" AS id FROM ${this.tables.documents} ${next} WHERE ${this.rows(next, target)} AND ${holds}`,
    )
    names[passed] = name
    return name
  }

  /**
   * Returns the condition that the single value of `leaf` equals this value. It consists of two bounds: with an
   * equality, PostgreSQL drops this key from ORDER BY and may choose another index for the rest.
   */
  between(leaf: Leaf, value: Value, alias: string): string {
    const expression = this.expression(leaf, alias)
    const parameter = this.scalar(leaf, value)
    return `${expression} >= ${parameter} AND ${expression} <= ${parameter}`
  }

  test(test: Test, alias: string, model: ContentModel): string {
    const { leaf } = test
    switch (test.operator) {
      case 'exists':
        return this.exists(leaf, alias)
      case 'match':
        return isAmong(`${alias}.id`, this.inTexts(this.wanted(test, model), model))
      case 'lt':
      case 'lte':
      case 'gt':
      case 'gte':
        return `${this.expression(leaf, alias)} ${signs[test.operator]} ${this.scalar(leaf, test.value)}`
      case 'all':
        return `${this.json(placeOf(leaf), alias)} @> ${this.parameter(JSON.stringify(test.values.map(jsonOf)), 'jsonb')}`
      case 'eq':
      case 'in':
        return this.oneOf(leaf, test.values, alias, model)
    }
  }

  private oneOf(leaf: Leaf, values: Value[], alias: string, model: ContentModel): string {
    const [first] = values
    if (!first) return 'FALSE'
    if (leaf.kind === 'field' && isMultiple(leaf.field)) return this.overlaps(leaf, values, alias)
    if (leaf.kind === 'system' && leaf.name === '_sys.status')
      return `(${values.map((value) => hasStatus(plain(value), alias)).join(' OR ')})`
    const expression = this.expression(leaf, alias)
    if (first.kind === 'span') return this.within(expression, leaf, values as Span[])
    if (first.kind === 'boolean') {
      const wanted = new Set(values.map((value) => value.kind === 'boolean' && value.boolean))
      return wanted.size === 2 ? 'TRUE' : wanted.has(true) ? expression : `NOT ${expression}`
    }
    if (values.length === 1) {
      const equal = `${expression} = ${this.scalar(leaf, first)}`
      // `holder` compares the `id` of a document row, and an expanded item has no such column.
      return this.isReserved(leaf) && first.kind === 'text' && !this.itemKeys.has(alias)
        ? this.holder(placeOf(leaf).field, first.text, alias, model, equal)
        : equal
    }
    return `${expression} = ANY(${this.parameter(values.map(plain), `${castOf(leaf, first)}[]`)})`
  }

  /**
   * Returns the condition that the document has this value of a unique field. Such values are also stored as hashes,
   * which find the published document with this text at constant cost. The value itself is compared too, because hashes
   * may collide.
   */
  private holder(field: Field, text: string, alias: string, model: ContentModel, equal: string): string {
    const hash = this.parameter(hashUniqueValue(text), 'bytea')
    const held = (stages: string) =>
      `SELECT u.document_id FROM document_unique u WHERE u.model_id = ${integer(model.id)}` +
      ` AND u.stage ${stages} AND u.field_id = '${fieldId(field)}' AND u.value_hash = ${hash}`
    const published = held('IN (1, 2)')
    const ids = this.stage === 'published' ? published : `${published} UNION ALL ${held('= 0')}`
    return `(${alias}.id = ANY(ARRAY(${ids})) AND ${equal})`
  }

  private overlaps(place: FieldPlace, values: Value[], alias: string): string {
    const json = this.json(place, alias)
    const [first] = values
    if (values.length === 1 && first)
      return `${json} @> ${this.parameter(JSON.stringify(jsonOf(first)), 'jsonb')}`
    if (comparisonOf(place.field) === 'number')
      return `${json} @> ANY(${this.parameter(
        values.map((value) => JSON.stringify(jsonOf(value))),
        'jsonb[]',
      )})`
    return `${json} ?| ${this.parameter(values.map(plain), 'text[]')}`
  }

  private within(expression: string, leaf: Leaf, spans: Span[]): string {
    const cast = leaf.kind === 'system' ? 'timestamptz' : 'text'
    const [first] = spans
    if (spans.length === 1 && first) {
      const after = `${expression} >= ${this.parameter(first.start, cast)}`
      return first.end === null ? after : `(${after} AND ${expression} < ${this.parameter(first.end, cast)})`
    }
    const starts = this.parameter(
      spans.map((span) => span.start),
      `${cast}[]`,
    )
    const ends = this.parameter(
      spans.map((span) => span.end),
      `${cast}[]`,
    )
    const item = `i${++this.aliases}`
    return (
      `EXISTS (SELECT FROM unnest(${starts}, ${ends}) ${item}(first, last) WHERE ${expression} >= ${item}.first` +
      ` AND (${item}.last IS NULL OR ${expression} < ${item}.last))`
    )
  }

  private exists(leaf: Leaf, alias: string): string {
    if (leaf.kind === 'system')
      return this.isNeverNull(leaf) ? 'TRUE' : `${this.expression(leaf, alias)} IS NOT NULL`
    // A checkbox that was never set is delivered as false, so it always has a value.
    if (comparisonOf(leaf.field) === 'boolean') return 'TRUE'
    if (comparisonOf(leaf.field) === 'none') return `${this.json(leaf, alias)} IS NOT NULL`
    return `(${this.json(leaf, alias)}->0) IS NOT NULL`
  }

  /** Checks whether values of this leaf are reserved for one document. Values of drafts are not reserved. */
  isReserved(leaf: Leaf): boolean {
    return this.stage === 'published' && leaf.kind === 'field' && !isInner(leaf) && isUnique(leaf.field)
  }

  private scalar(leaf: Leaf, value: Value): string {
    return this.parameter(plain(value), castOf(leaf, value))
  }
}

const signs = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

function all(items: string[]): string {
  const open = items.filter((item) => item !== 'TRUE')
  return open.length === 0 ? 'TRUE' : open.length === 1 ? `${open[0]}` : `(${open.join(' AND ')})`
}

/** Returns a jsonpath filter for the items that can contain the inner value. */
function framed({ frame }: Inside): string {
  return Object.entries(frame)
    .map(([key, value]) => ` ? (@."${innerKey({ key })}" == "${innerKey({ key: String(value) })}")`)
    .join('')
}
