import { type ContentModel, targetOf } from '../model.ts'
import { gramsOf, normalizeText } from '../text.ts'
import { type Access, type Candidates, chooseAccess, conjuncts } from './access.ts'
import { isAmong, SqlWriter } from './conditions.ts'
import { byValue, type KnownIndexes } from './indexes.ts'
import { integer, type Stage } from './row-sql.ts'
import { type Columns, inner, outer, type Statement, withJson } from './sql.ts'
import { type Condition, isInner, type ParsedQuery, type Test } from './tree.ts'

/** A list that goes along an index reads so much beyond its page: mostly that is the end, and so the total. */
const lookahead = 100
/** No further than here: what is looked at is held. */
const farthestLook = 1000
/** So many documents found by an index on the field are sorted; of more, the list is gone through in its order. */
const maximumIndexed = 5000
/** So many, when that order is nowhere kept, and all documents would have to be sorted. */
const maximumUnordered = 50_000

export interface ListSettings {
  /** Rows carry what members see beside the values. */
  managed?: boolean
  /** Which indexes on fields are there, as far as is known. */
  indexes?: KnownIndexes | undefined
  /** How many candidates are few; found out when left out. */
  few?: number
  /** Counting ends here: what a total of very many costs is more than it tells. Exact without it. */
  countTo?: number
}

/**
 * The page of a list. Each row carries `counter`: the model's own number of documents when `counts` (nothing was
 * filtered), else a number that grows whenever a total of these filters may have changed; and, if it came to light,
 * `total`: how many documents there are without `limit` and `skip`.
 */
export function listStatement(
  model: ContentModel,
  stage: Stage,
  query: ParsedQuery,
  settings: ListSettings = {},
): Statement & { counts: boolean } {
  const list = new ListWriter(model, stage, query, settings)
  const { writer, isFiltered } = list
  const page = list.page()
  const counter = isFiltered
    ? `SELECT sum(s.version)::bigint FROM model_stat s WHERE s.model_id IN (${[...writer.modelIds].map(integer).join(', ')})`
    : storedCount(model, stage)
  const columns = `${outer(list.columns)}, (${counter}) AS counter`
  // Sorting happens on the stored rows; text is made of the page only.
  const text =
    `${writer.with()}SELECT ${columns}${list.knowsTotal ? ', q.total' : ''}` +
    ` FROM ${withJson(page, query.limit)}`
  return { text, values: writer.values, counts: !isFiltered }
}

/** How many documents a query finds without `limit` and `skip`: one row with `total`. */
export function countStatement(
  model: ContentModel,
  stage: Stage,
  query: ParsedQuery,
  settings: ListSettings = {},
): Statement {
  const list = new ListWriter(model, stage, query, settings)
  if (!list.isFiltered) return { text: `SELECT (${storedCount(model, stage)}) AS total`, values: [] }
  const limit = settings.countTo === undefined ? '' : ` LIMIT ${integer(settings.countTo)}`
  const where = list.counted(limit)
  const { writer } = list
  return {
    text: `${writer.with()}SELECT count(*) AS total FROM (SELECT FROM document d WHERE ${where}${limit}) q`,
    values: writer.values,
  }
}

/** The `_id`s of the documents of a list, in its order. */
export function idsStatement(
  model: ContentModel,
  stage: Stage,
  query: ParsedQuery,
  settings: ListSettings = {},
): Statement {
  const list = new ListWriter(model, stage, query, settings)
  const page = list.page()
  return { text: `${list.writer.with()}SELECT q.id FROM (${page}) q`, values: list.writer.values }
}

function storedCount(model: ContentModel, stage: Stage): string {
  const counted = stage === 'published' ? 'published' : 'documents'
  return `SELECT s.${counted} FROM model_stat s WHERE s.model_id = ${integer(model.id)}`
}

/** What finds the candidates, and what is to be asked of each document of the list beside. */
interface Found {
  /** A query of `id`s. */
  ids: string
  /** The condition itself; undefined: it holds for every candidate, and for them only. */
  ofCandidates?: string
  /** The condition for a list that is gone through in its order. */
  inOrder: string
}

class ListWriter {
  readonly writer: SqlWriter
  readonly isFiltered: boolean
  /** Does the page have a column `total`? */
  knowsTotal = false
  private readonly model: ContentModel
  private readonly stage: Stage
  private readonly query: ParsedQuery
  private readonly conditions: Condition[]
  private readonly access: Access
  readonly columns: Columns
  private readonly few: number | undefined
  private readonly indexes: KnownIndexes | undefined

  constructor(
    model: ContentModel,
    stage: Stage,
    query: ParsedQuery,
    { managed = false, indexes, few }: ListSettings,
  ) {
    this.model = model
    this.stage = stage
    this.query = query
    this.writer = new SqlWriter(model, stage)
    this.conditions = conjuncts(query.where)
    this.isFiltered = this.conditions.length > 0 || query.search.length > 0
    this.access = chooseAccess(model, stage, query, { managed, indexes })
    this.columns = { managed, shape: model.conversions.length > 0 }
    this.few = few
    this.indexes = indexes
  }

  page(): string {
    const { candidates, walk, single } = this.access
    const { skip, limit } = this.query
    const page = `LIMIT ${integer(limit)}${skip > 0 ? ` OFFSET ${this.writer.parameter(skip, 'bigint')}` : ''}`
    if (candidates) return this.fromCandidates(candidates, page)
    const rows = this.inOrder(this.written())
    const looksTo = skip + limit + lookahead
    if ((!walk && !single) || looksTo > farthestLook) return `${rows} ${page}`
    this.knowsTotal = true
    const seen = this.writer.step(`${rows} LIMIT ${looksTo}`)
    const total = `(SELECT CASE WHEN count(*) < ${looksTo} THEN count(*) END FROM ${seen})`
    return `SELECT *, ${total} AS total FROM ${seen} ${page}`
  }

  /** The conditions of a count, which ends with `limit`. */
  counted(limit: string): string {
    const { candidates } = this.access
    if (!candidates || candidates.from === 'index') return this.writer.and(this.model, this.written())
    const { ids, ofCandidates } = this.found(candidates)
    const others = [...this.written(candidates), ...(ofCandidates ? [ofCandidates] : [])]
    // Where all candidates count, no more of them are looked for.
    const found = others.length === 0 ? `${ids}${limit}` : ids
    return this.writer.and(this.model, [...others, `d.id = ANY(ARRAY(${found}))`])
  }

  /** All conditions, or all but those that find the candidates, on the rows `d`. */
  private written(without?: Candidates): string[] {
    const { writer, model, query } = this
    const left = without && without.from !== 'search' ? [without.by].flat() : []
    const written = this.conditions
      .filter((condition) => !left.some((test) => test === condition))
      .map((condition) => this.condition(condition))
    if (query.search.length > 0 && without?.from !== 'search')
      written.push(isAmong('d.id', writer.inTexts(writer.wanted(query.search, model), model)))
    return written
  }

  private condition(condition: Condition): string {
    const { walk } = this.access
    // Two bounds instead of equality: else the order below would be taken for that of the rest alone.
    if (condition === walk?.by) return this.writer.between(walk.by.leaf, walk.value, 'd')
    return this.writer.condition(condition, 'd', this.model)
  }

  /** Documents in the order of the list. No other index has the order of one that holds them by value first. */
  private inOrder(conditions: string[]): string {
    const { walk } = this.access
    const first = walk ? `${this.writer.expression(walk.by.leaf, 'd')}, ` : ''
    return (
      `SELECT ${inner(this.writer, this.columns)} FROM document d WHERE ${this.writer.and(this.model, conditions)}` +
      ` ORDER BY ${first}${this.writer.order(this.query.order)}`
    )
  }

  /** Few candidates are sorted, of many the list is gone through in its order: one of the two reads nothing. */
  private fromCandidates(candidates: Candidates, page: string): string {
    const { writer, model, query } = this
    const { ids, ofCandidates, inOrder } = this.found(candidates)
    const rest = this.written(candidates)
    const atMost = this.atMost(candidates.from)
    const found = writer.step(`${ids} LIMIT ${atMost} + 1`)
    const areFew = `(SELECT count(*) FROM ${found}) <= ${atMost}`
    this.knowsTotal = true
    // OFFSET 0: what comes first is to find them, whatever the order.
    const few =
      `SELECT d.* FROM document d WHERE ${areFew} AND ` +
      writer.and(model, [`d.id = ANY(ARRAY(SELECT id FROM ${found}))`]) +
      ' OFFSET 0'
    const own = [...rest, ...(ofCandidates ? [ofCandidates] : [])]
    return (
      `(SELECT ${inner(writer, this.columns)}, count(*) OVER () AS total FROM (${few}) d` +
      `${own.length > 0 ? ` WHERE ${own.join(' AND ')}` : ''} ORDER BY ${writer.order(query.order)} ${page})` +
      ` UNION ALL (SELECT *, NULL::bigint FROM (${this.inOrder([...rest, inOrder, `NOT ${areFew}`])} ${page}) d)`
    )
  }

  /**
   * How many candidates are few, as SQL: about as many as documents would have to be read, were they among all the
   * others, to fill the page. Those that an index on the field finds need not be read.
   */
  private atMost(from: Candidates['from']): string {
    const { query, model, stage, few } = this
    if (few !== undefined) return String(integer(few))
    if (!this.isOrderKept()) return String(maximumUnordered)
    if (from === 'index') return String(maximumIndexed)
    const count = `sqrt(${integer(query.limit)}::float8 * (${storedCount(model, stage)}))`
    return `(SELECT n FROM ${this.writer.step(`SELECT least(5000, greatest(200, ${count}))::int AS n`)})`
  }

  /** Can the list be gone through in its order, without sorting all documents? */
  private isOrderKept(): boolean {
    const [key] = this.query.order
    if (key?.leaf.kind !== 'field') return true
    if (isInner(key.leaf)) return false
    const index = byValue(this.model.id, key.leaf.field, key.descending)
    return this.stage === 'published' && index !== undefined && this.indexes?.has(index) === true
  }

  private found(candidates: Candidates): Found {
    const { writer, model } = this
    if (candidates.from === 'index') {
      const [first] = candidates.by
      const condition = candidates.by.map((test) => this.condition(test)).join(' AND ')
      const isSorted = first && candidates.by.every((test) => test.operator !== 'in')
      const sorted = isSorted ? ` ORDER BY ${writer.expression(first.leaf, 'd')}` : ''
      const ids = `SELECT d.id::text COLLATE "C" AS id FROM document d WHERE ${writer.and(model, [condition])}${sorted}`
      return { ids, inOrder: condition }
    }
    const isText =
      candidates.from === 'texts' && candidates.by.operator === 'match' && !isInner(candidates.by.leaf)
    if (candidates.from === 'search' || isText) {
      const wanted = writer.wanted(candidates.from === 'search' ? this.query.search : candidates.by, model)
      return { ids: writer.inTexts(wanted, model), inOrder: writer.inOwnText(wanted, 'd', model) }
    }
    const { from, by } = candidates
    const condition = this.condition(by)
    const texts = textsOf(by).map((text) => gramsOf(normalizeText(text)))
    const ids =
      from === 'references'
        ? this.referring(by)
        : by.operator === 'match'
          ? writer.inTexts(writer.wanted(by, model), model)
          : texts.map((grams) => writer.inTexts({ grams, contains: 'TRUE' }, model)).join(' UNION ALL ')
    return { ids: `SELECT id FROM (${ids}) c`, ofCandidates: condition, inOrder: condition }
  }

  /** Documents that refer to what the test asks for, by whichever field. */
  private referring(test: Test): string {
    const { writer, model } = this
    const [step] = test.via
    const target = step?.target ?? (test.leaf.kind === 'field' ? targetOf(model, test.leaf.field) : undefined)
    if (!target) throw new TypeError('a test without references')
    const ids = step
      ? `ARRAY(SELECT id FROM ${writer.referred(test)})`
      : writer.parameter(textsOf(test), 'text[]')
    return (
      `SELECT r.from_id::text COLLATE "C" AS id FROM document_reference r WHERE r.from_model_id = ${integer(model.id)}` +
      ` AND r.to_model_id = ${integer(target.id)} AND r.stage = ${writer.stageNumber} AND r.to_id = ANY(${ids})`
    )
  }
}

/** The texts or `_id`s among the values of a test. */
function textsOf(test: Test): string[] {
  const values = 'values' in test ? test.values : []
  const texts = values.flatMap((value) => (value.kind === 'text' || value.kind === 'id' ? [value.text] : []))
  return test.operator === 'all' ? texts.slice(0, 1) : texts
}
