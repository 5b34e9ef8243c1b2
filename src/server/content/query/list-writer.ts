import type { KnownIndexes } from '#server/db/field-indexes.ts'
import { wordsCountedTo } from '#shared/contract/common.ts'
import { type ContentModel, targetsOf } from '../model.ts'
import { gramsOf, normalizeText } from '../text.ts'
import { type Access, type Candidates, chooseAccess, conjuncts } from './access.ts'
import { SqlWriter } from './conditions.ts'
import { byValue } from './indexes.ts'
import { integer, type Stage } from './row-sql.ts'
import { type Columns, inner } from './sql.ts'
import { isAmong } from './statement-writer.ts'
import { type Condition, isInner, type ParsedQuery, type Test } from './tree.ts'

/**
 * Number of documents after the page that are counted if the list reads an index in order. If the list ends within
 * them, its total is known.
 */
const lookahead = 100
/** Maximum number of documents that are counted together with a page, including skipped documents and the page. */
const farthestLook = 1000
/**
 * Maximum number of candidates from an index on the field that are read and sorted. If there are more, the list is
 * scanned in its order.
 */
const maximumIndexed = 5000
/** Maximum number of candidates that are sorted without reading the documents (`fromIndex`). */
const maximumSorted = 10_000
/** Value of `skip` from which skipped documents are not read (`farBehind`). */
const farSkip = 200
/**
 * Maximum number of candidates if no index has the order of the list, and all documents would have to be sorted
 * instead.
 */
const maximumUnordered = 50_000

export interface ListSettings {
  /** Adds the columns for members only, in addition to the values. */
  managed?: boolean
  /** The valid indexes on fields, according to this process. */
  indexes?: Pick<KnownIndexes, 'has'> | undefined
  /** Maximum number of candidates that are sorted. Chosen by the access path if omitted. */
  few?: number
  /**
   * Maximum total. Searches in texts count to at most `wordsCountedTo`, because counting further costs more than an
   * exact number is worth. If omitted, totals are exact.
   */
  countTo?: number
}

/** Returns SQL for the stored number of documents of the model. */
export function storedCount(model: ContentModel, stage: Stage): string {
  const counted = stage === 'published' ? 'published' : 'documents'
  return `SELECT s.${counted} FROM model_stat s WHERE s.model_id = ${integer(model.id)}`
}

interface Found {
  /** A query for the `id`s of the candidates. */
  ids: string
  /**
   * The condition to check on each candidate. undefined: every candidate satisfies the condition, and only candidates
   * do.
   */
  ofCandidates?: string
  /** The condition for a scan of the list in its order. */
  inOrder: string
}

/** Writes the parts of the statements of a list (list.ts). */
export class ListWriter {
  readonly writer: SqlWriter
  readonly isFiltered: boolean
  /** Whether the page has a column `total`. */
  knowsTotal = false
  /** SQL of the column `isMore`, if a search in texts may find more documents than are counted; otherwise ''. */
  isCut = ''
  /** Maximum total; undefined: totals are exact. */
  readonly countTo: number | undefined
  private readonly model: ContentModel
  private readonly stage: Stage
  private readonly query: ParsedQuery
  private readonly conditions: Condition[]
  private readonly access: Access
  readonly columns: Columns
  private readonly few: number | undefined
  private readonly indexes: Pick<KnownIndexes, 'has'> | undefined

  constructor(
    model: ContentModel,
    stage: Stage,
    query: ParsedQuery,
    { managed = false, indexes, few, countTo }: ListSettings,
  ) {
    this.model = model
    this.stage = stage
    this.query = query
    this.writer = new SqlWriter(model, stage, managed)
    this.conditions = conjuncts(query.where)
    this.isFiltered = this.conditions.length > 0 || query.search.length > 0
    this.access = chooseAccess(model, stage, query, { indexes })
    this.columns = { managed, shape: model.conversions.length > 0 }
    this.countTo = countTo && this.findsWords ? Math.min(countTo, wordsCountedTo) : countTo
    this.few = few
    this.indexes = indexes
  }

  page(): string {
    const { candidates, walk, single } = this.access
    const { skip, limit } = this.query
    const page = `LIMIT ${integer(limit)}${skip > 0 ? ` OFFSET ${this.writer.parameter(skip, 'bigint')}` : ''}`
    if (candidates) return this.fromCandidates(candidates, page)
    if (skip >= farSkip && !this.isFiltered && this.isOrderedBySystem()) return this.farBehind(page)
    const conditions = this.written()
    const rows = this.inOrder(conditions)
    const looksTo = skip + limit + lookahead
    if ((!walk && !single) || looksTo > farthestLook) return `${rows} ${page}`
    this.knowsTotal = true
    // The count is a separate query: sorting by a field decompresses the body of each row.
    const where = this.writer.and(this.model, conditions)
    const seen = `SELECT FROM ${this.writer.tables.documents} d WHERE ${where} LIMIT ${looksTo}`
    const total = `(SELECT CASE WHEN count(*) < ${looksTo} THEN count(*) END FROM (${seen}) s)`
    return `SELECT q.*, ${total} AS total FROM (${rows} ${page}) q`
  }

  private get findsWords(): boolean {
    const { candidates } = this.access
    return (
      candidates?.from === 'search' || (candidates?.from === 'texts' && candidates.by.operator === 'match')
    )
  }

  /** Returns the condition of a count. `limit`: the LIMIT clause of the count; '' for an exact count. */
  counted(limit: string): string {
    const { candidates } = this.access
    if (!candidates || candidates.from === 'index') return this.writer.and(this.model, this.written())
    const rest = this.written(candidates)
    // With other conditions and a limit, the text of each row is checked: many documents may contain the words, and not
    // all of them have to be found.
    const wanted = limit && rest.length > 0 ? this.wanted(candidates) : undefined
    if (wanted) return this.writer.and(this.model, [...rest, this.writer.inOwnText(wanted, 'd', this.model)])
    const { ids, ofCandidates } = this.found(candidates)
    const others = [...rest, ...(ofCandidates ? [ofCandidates] : [])]
    // If all candidates count, the search for them ends at the limit.
    const found = others.length === 0 ? `${ids}${limit}` : ids
    return this.writer.and(this.model, [...others, `d.id = ANY(ARRAY(${found}))`])
  }

  /** Returns the page after many skipped documents, which are only read from an index. */
  private farBehind(page: string): string {
    const { writer, model, query } = this
    const [documents, order] = [writer.tables.documents, writer.order(query.order)]
    const ids = `SELECT d.id FROM ${documents} d WHERE ${writer.rows('d', model)} ORDER BY ${order} ${page}`
    const rows = writer.and(model, [`d.id = ANY(ARRAY(${ids}))`])
    return `SELECT ${inner(writer, this.columns)} FROM ${documents} d WHERE ${rows} ORDER BY ${order}`
  }

  /** Returns the conditions on the rows `d`. With `without`, omits the conditions that find these candidates. */
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
    // See {@link SqlWriter.between}: with an equality, PostgreSQL may use another index.
    if (condition === walk?.by) return this.writer.between(walk.by.leaf, walk.value, 'd')
    return this.writer.condition(condition, 'd', this.model)
  }

  /**
   * Returns the documents in the order of the list. With `walk`, the order begins with the value, because only an index
   * on the value has that order.
   */
  private inOrder(conditions: string[]): string {
    const { walk } = this.access
    const first = walk ? `${this.writer.expression(walk.by.leaf, 'd')}, ` : ''
    return (
      `SELECT ${inner(this.writer, this.columns)} FROM ${this.writer.tables.documents} d WHERE ${this.writer.and(this.model, conditions)}` +
      ` ORDER BY ${first}${this.writer.order(this.query.order)}`
    )
  }

  /**
   * Returns the page by candidates. Up to `atMost` candidates are sorted. If there are more, the list is scanned in its
   * order, and the part of the statement that sorts candidates reads nothing.
   */
  private fromCandidates(candidates: Candidates, page: string): string {
    const { writer, model, query } = this
    const rest = this.written(candidates)
    if (candidates.from === 'index' && rest.length === 0 && this.isOrderedBySystem())
      return this.fromIndex(candidates.by, page)
    const { ids, ofCandidates, inOrder } = this.found(candidates)
    const atMost = this.atMost(candidates.from)
    const found = writer.step(`${ids} LIMIT ${atMost} + 1`)
    const areFew = `(SELECT count(*) FROM ${found}) <= ${atMost}`
    this.knowsTotal = true
    // OFFSET 0 makes PostgreSQL find the candidates first, in any order of the list.
    const few =
      `SELECT d.* FROM ${writer.tables.documents} d WHERE ${areFew} AND ` +
      writer.and(model, [`d.id = ANY(ARRAY(SELECT id FROM ${found}))`]) +
      ' OFFSET 0'
    const own = [...rest, ...(ofCandidates ? [ofCandidates] : [])]
    if (this.findsWords && this.countTo !== undefined && own.length === 0)
      this.isCut = `, (NOT (${areFew}) AND (SELECT count(*) FROM ${found}) > ${integer(this.countTo)}) AS "isMore"`
    return (
      `(SELECT ${inner(writer, this.columns)}, count(*) OVER () AS total FROM (${few}) d` +
      `${own.length > 0 ? ` WHERE ${own.join(' AND ')}` : ''} ORDER BY ${writer.order(query.order)} ${page})` +
      ` UNION ALL (SELECT *, NULL::bigint FROM (${this.inOrder([...rest, inOrder, `NOT ${areFew}`])} ${page}) d)`
    )
  }

  private isOrderedBySystem(): boolean {
    return this.query.order.every(({ leaf }) => leaf.kind === 'system' && leaf.name !== '_sys.status')
  }

  /**
   * Returns the page of a list that only filters by an index on a field and that is ordered by system columns. Few
   * candidates are sorted without reading bodies. If there are many, the beginning of the list is scanned in its order.
   * If that does not fill the page (all matches may be at the end), all candidates are sorted after all.
   */
  private fromIndex(by: Test[], page: string): string {
    const { writer, model, query } = this
    const { documents } = writer.tables
    const wanted = query.skip + query.limit
    const order = writer.order(query.order)
    const names = query.order
      .map(({ leaf }) => writer.expression(leaf, 'd'))
      .filter((name) => name !== 'd.id')
    const columns = ['d.id::text COLLATE "C" AS id', ...new Set(names)].join(', ')
    const condition = by.map((test) => this.condition(test)).join(' AND ')
    const rows = (conditions: string[]) =>
      `SELECT ${columns} FROM ${documents} d WHERE ${writer.and(model, conditions)}${this.byIndex(by)}`
    const atMost = integer(this.few ?? maximumSorted)
    const found = writer.step(`${rows([condition])} LIMIT ${atMost} + 1`)
    const areFew = `(SELECT count(*) FROM ${found}) <= ${atMost}`
    const beginning =
      `SELECT d.* FROM ${documents} d WHERE NOT (${areFew}) AND ${writer.rows('d', model)} ORDER BY ${order}` +
      ` LIMIT ${Math.min(5000, Math.max(1000, 4 * wanted))}`
    const first = writer.step(
      `SELECT ${columns} FROM (${beginning}) d WHERE ${condition} ORDER BY ${order} LIMIT ${integer(wanted)}`,
    )
    const isFull = `(SELECT count(*) FROM ${first}) = ${integer(wanted)}`
    const all = `${rows([condition, `NOT (${areFew})`, `NOT (${isFull})`])} OFFSET 0`
    const ways = [
      `SELECT * FROM ${found} WHERE ${areFew}`,
      `SELECT * FROM ${first} WHERE NOT (${areFew}) AND ${isFull}`,
      all,
    ]
    const ids = ways
      .map((way) => `(SELECT d.id FROM (${way}) d ORDER BY ${order} ${page})`)
      .join(' UNION ALL ')
    this.knowsTotal = true
    return (
      `SELECT ${inner(writer, this.columns)}, CASE WHEN ${areFew} THEN (SELECT count(*) FROM ${found}) END AS total` +
      ` FROM ${documents} d WHERE ${writer.and(model, [`d.id = ANY(ARRAY(${ids}))`])} ORDER BY ${order}`
    )
  }

  /**
   * Returns an ORDER BY clause on the value, which makes PostgreSQL use the index on the field; '' if a test uses `in`.
   */
  private byIndex(by: Test[]): string {
    const [first] = by
    const isSorted = first && by.every((test) => test.operator !== 'in')
    return isSorted ? ` ORDER BY ${this.writer.expression(first.leaf, 'd')}` : ''
  }

  /**
   * Returns SQL for the maximum number of candidates that are sorted: at least 200 and at most 5,000. It is chosen so
   * that sorting reads about the same number of documents as a scan that fills the page, if the candidates are spread
   * evenly.
   *
   * The maximum is fixed for candidates from an index on the field, because finding them reads no bodies, and for lists
   * whose order no index has.
   */
  private atMost(from: Candidates['from']): string {
    const { query, model, stage, few } = this
    if (few !== undefined) return String(integer(few))
    if (!this.isOrderKept()) return String(maximumUnordered)
    if (from === 'index') return String(maximumIndexed)
    // Checking a text costs more than finding a document by its key.
    const share = this.findsWords ? ' / 2' : ''
    const count = `sqrt(${integer(query.limit)}::float8 * (${storedCount(model, stage)})${share})`
    return `(SELECT n FROM ${this.writer.step(`SELECT least(5000, greatest(200, ${count}))::int AS n`)})`
  }

  /** Checks whether the list can be scanned in its order without sorting all documents. */
  private isOrderKept(): boolean {
    const [key] = this.query.order
    if (key?.leaf.kind !== 'field') return true
    if (isInner(key.leaf)) return false
    const index = byValue(this.model.id, key.leaf.field, key.descending, this.stage)
    return index !== undefined && this.indexes?.has(index) === true
  }

  private found(candidates: Candidates): Found {
    const { writer, model } = this
    if (candidates.from === 'index') {
      const condition = candidates.by.map((test) => this.condition(test)).join(' AND ')
      const ids = `SELECT d.id::text COLLATE "C" AS id FROM ${writer.tables.documents} d WHERE ${writer.and(model, [condition])}${this.byIndex(candidates.by)}`
      return { ids, inOrder: condition }
    }
    const wanted = this.wanted(candidates)
    if (wanted) return { ids: writer.inTexts(wanted, model), inOrder: writer.inOwnText(wanted, 'd', model) }
    if (candidates.from === 'search') throw new TypeError('a search for nothing')
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

  /** Returns the text that documents must contain, if the candidates are found by it alone. */
  private wanted(candidates: Candidates) {
    if (candidates.from === 'search') return this.writer.wanted(this.query.search, this.model)
    // The text of a field contains its inner values without separating them.
    const isMatch =
      candidates.from === 'texts' && candidates.by.operator === 'match' && !isInner(candidates.by.leaf)
    return isMatch ? this.writer.wanted(candidates.by, this.model) : undefined
  }

  /**
   * Selects the documents that refer to the contents of the test, through any field and in any state of the document.
   */
  private referring(test: Test): string {
    const { writer, model } = this
    const [step] = test.via
    const own = test.leaf.kind === 'field' ? targetsOf(model, test.leaf.field) : undefined
    const targets = (step ? [step.target] : (own ?? [])).map(({ id }) => integer(id))
    if (targets.length === 0) throw new TypeError('a test without references')
    const target = targets.length === 1 ? `= ${targets[0]}` : `IN (${targets.join(', ')})`
    const ids = step
      ? `ARRAY(SELECT id FROM ${writer.referred(test)})`
      : writer.parameter(textsOf(test), 'text[]')
    return (
      `SELECT r.from_id::text COLLATE "C" AS id FROM document_reference r WHERE r.from_model_id = ${integer(model.id)}` +
      ` AND r.to_model_id ${target} AND r.to_id = ANY(${ids})`
    )
  }
}

/** Returns the texts and `_id`s among the values of a test; for `all`, only the first. */
function textsOf(test: Test): string[] {
  const values = 'values' in test ? test.values : []
  const texts = values.flatMap((value) => (value.kind === 'text' || value.kind === 'id' ? [value.text] : []))
  return test.operator === 'all' ? texts.slice(0, 1) : texts
}
