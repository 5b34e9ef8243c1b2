import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { idPattern } from '#shared/identifiers.ts'
import { type ContentModel, comparisonOf } from '../model.ts'
import { gramsOf } from '../text.ts'
import { hashUniqueValue, isUnique } from '../unique.ts'
import type { Condition, Leaf, OrderKey, ParsedQuery, Span, Step, SystemName, Test, Value } from './tree.ts'

/** Which state is read: what is published, or the current one (draft or else published; not in the trash). */
export type Stage = 'published' | 'current'

/** How derived rows of documents name the stage they are of. */
const stageNumber = { current: 0, published: 1 } as const

export interface Statement {
  text: string
  values: unknown[]
}

/**
 * Turns what was parsed into SQL. The only literals are integer keys of models and checked 24-hex `_id`s of fields
 * out of the registry, so that partial indexes of one model and indexes on `pub->'<field>'` fit; every value of the
 * client's is a parameter. `(values->'<field>'->>0)` is a single value's one expression: it reads the first item when
 * the field held several before.
 *
 * Text is compared by code points (COLLATE "C"). Empty values come last in both directions; `_id` breaks ties.
 */
class SqlWriter {
  readonly stage: Stage
  readonly values: unknown[] = []
  /** Keys of all models that the statement looks at. */
  readonly modelIds: Set<number>
  private aliases = 0

  constructor(model: Pick<ContentModel, 'id'>, stage: Stage) {
    this.stage = stage
    this.modelIds = new Set([model.id])
  }

  parameter(value: unknown, cast: string): string {
    this.values.push(value)
    return `$${this.values.length}::${cast}`
  }

  /** Alias `''` stands for the bare column. */
  body(alias: string): string {
    if (alias === '') return 'pub'
    return this.stage === 'published' ? `${alias}.pub` : `coalesce(${alias}.draft, ${alias}.pub)`
  }

  /** Rows of this stage of a model. */
  rows(alias: string, model: ContentModel): string {
    const visible =
      this.stage === 'published' ? `${alias}.published_at IS NOT NULL` : `${alias}.deleted_at IS NULL`
    return `${alias}.model_id = ${integer(model.id)} AND ${visible}`
  }

  where(model: ContentModel, query: ParsedQuery): string {
    const parts = [this.rows('d', model)]
    const condition = this.condition(query.where, 'd', model)
    if (condition !== 'TRUE') parts.push(condition)
    if (query.search.length > 0) parts.push(this.search(query.search, model))
    return parts.join(' AND ')
  }

  order(keys: OrderKey[]): string {
    const terms = keys.map(({ leaf, descending }) => {
      const direction = descending ? 'DESC' : 'ASC'
      return `${this.expression(leaf, 'd')} ${direction}${this.isNeverNull(leaf) ? '' : ' NULLS LAST'}`
    })
    const total = keys.some(({ leaf }) => leaf.kind === 'system' && leaf.name === '_id')
    return [...terms, ...(total ? [] : ['d.id ASC'])].join(', ')
  }

  private condition(condition: Condition, alias: string, model: ContentModel): string {
    switch (condition.kind) {
      case 'and':
      case 'or': {
        const items = condition.items.map((item) => this.condition(item, alias, model))
        return condition.kind === 'and' ? all(items) : `(${items.join(' OR ')})`
      }
      case 'not':
        return `(${this.condition(condition.item, alias, model)}) IS NOT TRUE`
      case 'test':
        return this.through(condition, condition.via, alias, model)
    }
  }

  /** The test on the contents that the reference fields `via` lead to, or on the row itself. */
  private through(test: Test, via: Step[], alias: string, model: ContentModel): string {
    const [step, ...rest] = via
    if (!step) return this.test(test, alias, model)
    const { field, target } = step
    this.modelIds.add(target.id)
    const next = `r${++this.aliases}`
    const found =
      `SELECT ${next}.id FROM document ${next} WHERE ${this.rows(next, target)}` +
      ` AND ${this.through(test, rest, next, target)}`
    if (!isMultiple(field)) return `${this.single(field, alias)} IN (${found})`
    const item = `i${this.aliases}`
    return (
      `EXISTS (SELECT FROM jsonb_path_query(${this.json(field, alias)}, '$[*]') ${item}(value)` +
      ` WHERE (${item}.value #>> '{}') COLLATE "C" IN (${found}))`
    )
  }

  private test(test: Test, alias: string, model: ContentModel): string {
    const { leaf } = test
    switch (test.operator) {
      case 'exists':
        return this.exists(leaf, alias)
      case 'match':
        return this.match(leaf, test.text, alias, model)
      case 'lt':
      case 'lte':
      case 'gt':
      case 'gte':
        return `${this.expression(leaf, alias)} ${signs[test.operator]} ${this.scalar(leaf, test.value)}`
      case 'all':
        return `${this.json(fieldOf(leaf), alias)} @> ${this.parameter(JSON.stringify(test.values.map(jsonOf)), 'jsonb')}`
      case 'eq':
      case 'in':
        return this.oneOf(leaf, test.values, alias, model)
    }
  }

  private oneOf(leaf: Leaf, values: Value[], alias: string, model: ContentModel): string {
    const [first] = values
    if (!first) return 'FALSE'
    if (leaf.kind === 'field' && isMultiple(leaf.field)) return this.overlaps(leaf.field, values, alias)
    const expression = this.expression(leaf, alias)
    if (first.kind === 'span') return this.within(expression, leaf, values as Span[])
    if (first.kind === 'boolean') {
      const wanted = new Set(values.map((value) => value.kind === 'boolean' && value.boolean))
      return wanted.size === 2 ? 'TRUE' : wanted.has(true) ? expression : `NOT ${expression}`
    }
    if (values.length === 1) {
      const equal = `${expression} = ${this.scalar(leaf, first)}`
      return leaf.kind === 'field' && first.kind === 'text' && isUnique(leaf.field)
        ? this.holder(leaf.field, first.text, alias, model, equal)
        : equal
    }
    return `${expression} = ANY(${this.parameter(values.map(plain), `${castOf(leaf, first)}[]`)})`
  }

  /**
   * Values of unique fields are kept by their hash, of each stage: that finds the documents which can have this text
   * (one that is published, perhaps several drafts), whatever the size of the model. The value itself decides.
   */
  private holder(field: Field, text: string, alias: string, model: ContentModel, equal: string): string {
    const hash = this.parameter(hashUniqueValue(text), 'bytea')
    return (
      `(${alias}.id IN (SELECT u.document_id FROM document_unique u WHERE u.model_id = ${integer(model.id)}` +
      ` AND u.stage = ${stageNumber[this.stage]} AND u.field_id = '${fieldId(field)}'` +
      ` AND u.value_hash = ${hash}) AND ${equal})`
    )
  }

  private overlaps(field: Field, values: Value[], alias: string): string {
    const json = this.json(field, alias)
    const [first] = values
    if (values.length === 1 && first)
      return `${json} @> ${this.parameter(JSON.stringify(jsonOf(first)), 'jsonb')}`
    if (comparisonOf(field) === 'number')
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
    // A box that was never touched answers false: there is always a value.
    if (comparisonOf(leaf.field) === 'boolean') return 'TRUE'
    return `(${this.json(leaf.field, alias)}->0) IS NOT NULL`
  }

  /** In text of at least two characters the bigrams find the candidates; the text itself decides. */
  private match(leaf: Leaf, text: string, alias: string, model: ContentModel): string {
    const contains = `strpos(t.texts->>'${fieldId(fieldOf(leaf))}', ${this.parameter(text, 'text')}) > 0`
    return this.inTexts(alias, model, gramsOf(text), contains)
  }

  private search(words: string[], model: ContentModel): string {
    const fields = model.fields.filter((field) => typeOf(field).searchable)
    if (fields.length === 0) return 'FALSE'
    const contains = words.map((word) => {
      const parameter = this.parameter(word, 'text')
      return `(${fields.map((field) => `strpos(t.texts->>'${fieldId(field)}', ${parameter}) > 0`).join(' OR ')})`
    })
    const grams = [...new Set(words.flatMap(gramsOf))]
    return this.inTexts('d', model, grams, contains.join(' AND '))
  }

  private inTexts(alias: string, model: ContentModel, grams: number[], contains: string): string {
    const prefilter = grams.length > 0 ? ` AND t.grams @> ${this.parameter(grams, 'int[]')}` : ''
    return (
      `${alias}.id IN (SELECT t.document_id FROM document_text t WHERE t.model_id = ${integer(model.id)}` +
      ` AND t.stage = ${stageNumber[this.stage]}${prefilter} AND ${contains})`
    )
  }

  private scalar(leaf: Leaf, value: Value): string {
    return this.parameter(plain(value), castOf(leaf, value))
  }

  private json(field: Field, alias: string): string {
    return `(${this.body(alias)}->'${fieldId(field)}')`
  }

  private single(field: Field, alias: string): string {
    return `(${this.json(field, alias)}->>0) COLLATE "C"`
  }

  /** The one value of a leaf, typed for comparing and sorting. */
  expression(leaf: Leaf, alias: string): string {
    if (leaf.kind === 'system') return this.system(leaf.name, alias)
    const item = `(${this.json(leaf.field, alias)}->0)`
    switch (comparisonOf(leaf.field)) {
      case 'number': // a value from before a change of type must not end the query
        return `(CASE WHEN jsonb_typeof(${item}) = 'number' THEN ${item}::numeric END)`
      case 'boolean':
        return `coalesce(${item} = 'true'::jsonb, false)`
      default:
        return this.single(leaf.field, alias)
    }
  }

  private system(name: SystemName, alias: string): string {
    const published = this.stage === 'published'
    switch (name) {
      case '_id':
        return `${alias}.id`
      case '_sys.createdAt':
        return published ? `${alias}.first_published_at` : `${alias}.created_at`
      case '_sys.updatedAt':
        return published ? `${alias}.published_at` : `${alias}.updated_at`
      case '_sys.customOrder':
        return `${alias}.custom_order`
      case '_sys.raw.createdAt':
        return `${alias}.created_at`
      case '_sys.raw.updatedAt':
        return updatedAt(this.stage, alias)
      case '_sys.raw.firstPublishedAt':
        return `${alias}.first_published_at`
      case '_sys.raw.publishedAt':
        return `${alias}.published_at`
      case '_sys.status':
        return status(alias)
      case '_sys.createdBy':
        return `${alias}.created_by`
      case '_sys.updatedBy':
        return `${alias}.updated_by`
    }
  }

  private isNeverNull(leaf: Leaf): boolean {
    if (leaf.kind === 'field') return comparisonOf(leaf.field) === 'boolean'
    switch (leaf.name) {
      case '_sys.customOrder':
      case '_sys.createdBy':
      case '_sys.updatedBy':
        return false
      case '_sys.raw.firstPublishedAt':
      case '_sys.raw.publishedAt':
        return this.stage === 'published'
      default:
        return true
    }
  }
}

/**
 * What an index on a single value of `field` in stage 'published' has to hold: the very expression by which lists
 * filter and sort, on the bare column. undefined: values of this field are many, truths, or long texts.
 */
export function indexedExpression(field: Field): string | undefined {
  const isShort = field.type === 'TEXT' ? field.inputType !== 'textarea' : shortTypes.has(field.type)
  if (isMultiple(field) || !isShort) return undefined
  return `(${new SqlWriter({ id: 0 }, 'published').expression({ kind: 'field', field }, '')})`
}

const shortTypes = new Set<Field['type']>(['NUMBER', 'DATE', 'SELECT', 'REFERENCE'])

const signs = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/** All items hold. */
function all(items: string[]): string {
  const open = items.filter((item) => item !== 'TRUE')
  return open.length === 0 ? 'TRUE' : open.length === 1 ? `${open[0]}` : `(${open.join(' AND ')})`
}

const status = (alias: string) =>
  `(CASE WHEN ${alias}.published_at IS NULL THEN 'draft' WHEN ${alias}.draft IS NULL THEN 'published' ELSE 'changed' END)`

/** Saving a draft moves updated_at; readers of what is published must not see even that. */
const updatedAt = (stage: Stage, alias: string) =>
  stage === 'published' ? `${alias}.published_updated_at` : `${alias}.updated_at`

function integer(id: number): string {
  if (!Number.isSafeInteger(id)) throw new TypeError('a model without an integer key')
  return String(id)
}

function fieldId(field: Field): string {
  if (!idPattern.test(field._id)) throw new TypeError('a field without an _id')
  return field._id
}

function fieldOf(leaf: Leaf): Field {
  if (leaf.kind === 'system') throw new TypeError(`${leaf.name} is no field`)
  return leaf.field
}

function plain(value: Value): string {
  switch (value.kind) {
    case 'number':
      return String(value.number)
    case 'boolean':
      return String(value.boolean)
    case 'span':
      return value.start
    default:
      return value.text
  }
}

function jsonOf(value: Value): unknown {
  return value.kind === 'number' ? value.number : plain(value)
}

function castOf(leaf: Leaf, value: Value): string {
  if (value.kind === 'number') return leaf.kind === 'system' ? 'float8' : 'numeric'
  if (value.kind === 'span') return leaf.kind === 'system' ? 'timestamptz' : 'text'
  return 'text'
}

/** The columns a DocumentRow is made of; `managed` ones are for members only. */
function inner(writer: SqlWriter, managed: boolean): string {
  const names = ['id', 'created_at', 'first_published_at', 'published_at', 'custom_order']
  if (managed) names.push('version', 'created_by', 'updated_by')
  const columns = names.map((name) => `d.${name}`)
  columns.push(`${updatedAt(writer.stage, 'd')} AS updated_at`)
  columns.push(`${writer.body('d')} AS body`)
  if (managed) columns.push(`${status('d')} AS status`)
  return columns.join(', ')
}

/** Up to this many contents cannot be too large together: one holds 1 MB. */
const surelySmall = 32
/** More contents than that are read only if their JSON is no longer than this together. */
export const maximumRead = 32 * 1024 * 1024

/** Rows of `inner` with their body as text. Of many rows it is null throughout when they are too large together. */
function withJson(rows: string, atMost: number): string {
  if (atMost <= surelySmall) return `(SELECT *, body::text AS json FROM (${rows}) q) q`
  return (
    `(SELECT *, CASE WHEN sum(octet_length(text)) OVER () <= ${maximumRead} THEN text END AS json` +
    ` FROM (SELECT *, body::text AS text FROM (${rows}) q OFFSET 0) q) q`
  )
}

function outer(managed: boolean): string {
  const columns = [
    'q.id',
    'q.json',
    'q.created_at AS "createdAt"',
    'q.updated_at AS "updatedAt"',
    'q.first_published_at AS "firstPublishedAt"',
    'q.published_at AS "publishedAt"',
    'q.custom_order AS "customOrder"',
  ]
  if (managed)
    columns.push('q.version', 'q.status', 'q.created_by AS "createdBy"', 'q.updated_by AS "updatedBy"')
  return columns.join(', ')
}

/**
 * The page of a list. Each row carries `counter`: the model's own number of documents when `counts` (nothing was
 * filtered), else a number that grows whenever a total of these filters may have changed.
 */
export function listStatement(
  model: ContentModel,
  stage: Stage,
  query: ParsedQuery,
  managed: boolean,
): Statement & { counts: boolean } {
  const writer = new SqlWriter(model, stage)
  const where = writer.where(model, query)
  const counts = where === writer.rows('d', model)
  const counter = counts
    ? storedCount(model, stage)
    : `SELECT sum(s.version)::bigint FROM model_stat s WHERE s.model_id IN (${[...writer.modelIds].map(integer).join(', ')})`
  const skip = query.skip > 0 ? ` OFFSET ${writer.parameter(query.skip, 'bigint')}` : ''
  // Sorting happens on the stored rows; text is made of the page only.
  const text =
    `SELECT ${outer(managed)}, (${counter}) AS counter FROM ` +
    withJson(
      `SELECT ${inner(writer, managed)} FROM document d WHERE ${where}` +
        ` ORDER BY ${writer.order(query.order)} LIMIT ${integer(query.limit)}${skip}`,
      query.limit,
    )
  return { text, values: writer.values, counts }
}

function storedCount(model: ContentModel, stage: Stage): string {
  const column = stage === 'published' ? 'published' : 'documents'
  return `SELECT s.${column} FROM model_stat s WHERE s.model_id = ${integer(model.id)}`
}

/** How many documents a query finds without `limit` and `skip`: one row with `total`. */
export function countStatement(model: ContentModel, stage: Stage, query: ParsedQuery): Statement {
  const writer = new SqlWriter(model, stage)
  const where = writer.where(model, query)
  const text =
    where === writer.rows('d', model)
      ? `SELECT (${storedCount(model, stage)}) AS total`
      : `SELECT count(*) AS total FROM document d WHERE ${where}`
  return { text, values: writer.values }
}

/**
 * One document by `_id`: no row when there is none in that stage. With `expand` (reference fields of the model), the
 * contents it refers to follow in the same answer, at most `limit` of each field's model; `model` is their model's
 * integer key and null for the document itself.
 */
export function oneStatement(
  model: ContentModel,
  stage: Stage,
  id: string,
  { managed = false, expand = [], limit = 0 }: { managed?: boolean; expand?: Step[]; limit?: number } = {},
): Statement {
  const writer = new SqlWriter(model, stage)
  const found =
    `SELECT ${inner(writer, managed)} FROM document d` +
    ` WHERE ${writer.rows('d', model)} AND d.id = ${writer.parameter(id, 'text')}`
  if (expand.length === 0)
    return { text: `SELECT ${outer(managed)} FROM ${withJson(found, 1)}`, values: writer.values }

  const byTarget = new Map<ContentModel, Field[]>()
  for (const { field, target } of expand) byTarget.set(target, [...(byTarget.get(target) ?? []), field])
  const parts = [...byTarget].map(([target, fields]) => {
    const ids = fields.map((field) =>
      isMultiple(field)
        ? `SELECT jsonb_path_query(one.body->'${fieldId(field)}', '$[*]') #>> '{}' FROM one`
        : `SELECT one.body->'${fieldId(field)}'->>0 FROM one`,
    )
    // An array, not IN: the planner then goes by the primary key whatever it thinks of the sizes.
    const atMost = fields.some(isMultiple) ? limit : fields.length
    const referred =
      `SELECT ${inner(writer, false)} FROM document d WHERE ${writer.rows('d', target)}` +
      ` AND d.id = ANY(ARRAY(${ids.join(' UNION ALL ')})) LIMIT ${integer(atMost)}`
    return `SELECT ${integer(target.id)} AS model, ${outer(false)} FROM ${withJson(referred, atMost)}`
  })
  const own = `SELECT NULL::int AS model, ${outer(false)} FROM ${withJson('SELECT * FROM one', 1)}`
  return {
    text: `WITH one AS MATERIALIZED (${found}) ${[own, ...parts].join(' UNION ALL ')}`,
    values: writer.values,
  }
}

/** The documents that others refer to, of several models in one statement; `model` is the model's integer key. */
export function referredStatement(stage: Stage, wanted: { model: ContentModel; ids: string[] }[]): Statement {
  const values: unknown[] = []
  const parts = wanted.map(({ model, ids }) => {
    const writer = new SqlWriter(model, stage)
    values.push(ids)
    return (
      `SELECT ${integer(model.id)} AS model, ${outer(false)} FROM ` +
      withJson(
        `SELECT ${inner(writer, false)} FROM document d` +
          ` WHERE ${writer.rows('d', model)} AND d.id = ANY($${values.length}::text[])`,
        ids.length,
      )
    )
  })
  return { text: parts.join(' UNION ALL '), values }
}
