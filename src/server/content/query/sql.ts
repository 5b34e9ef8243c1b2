import { type Field, isMultiple } from '#shared/fields/index.ts'
import type { ContentModel } from '../model.ts'
import { SqlWriter } from './conditions.ts'
import { fieldId, integer, type Stage, status, updatedAt } from './row-sql.ts'
import type { Step } from './tree.ts'

export type { Stage } from './row-sql.ts'

export interface Statement {
  text: string
  values: unknown[]
}

export interface Columns {
  /** Whether to add the columns for members only. */
  managed?: boolean
  /** Whether to add the shape of the values, which is needed while a model is being converted. */
  shape?: boolean
}

/** Returns the columns of a `DocumentRow`. */
export function inner(writer: SqlWriter, { managed, shape }: Columns): string {
  const names = ['id', 'created_at', 'first_published_at', 'published_at', 'custom_order']
  if (shape) names.push('shape')
  if (managed) names.push('version', 'created_by', 'updated_by')
  const columns = names.map((name) => `d.${name}`)
  columns.push(`${updatedAt(writer.stage, 'd')} AS updated_at`)
  columns.push(`${writer.body('d')} AS body`)
  if (managed) columns.push(`${status('d')} AS status`)
  return columns.join(', ')
}

/** Number of contents that are never too large together, because one content has at most 1 MB. */
const surelySmall = 32
/** Maximum number of documents that the delivery API requests in one batch (`limits` in delivery/routes.ts). */
const usuallyTogether = 16
/** Limit in bytes for the total JSON if more than {@link surelySmall} contents are read. */
export const maximumRead = 32 * 1024 * 1024

/**
 * Returns the rows of a subquery with their body as text. If `atMost` exceeds {@link surelySmall}, `json` is null in
 * all rows if they are too large together.
 */
export function withJson(rows: string, atMost: number): string {
  if (atMost <= surelySmall) return `(SELECT *, body::text AS json FROM (${rows}) q) q`
  return (
    `(SELECT *, CASE WHEN sum(octet_length(text)) OVER () <= ${maximumRead} THEN text END AS json` +
    ` FROM (SELECT *, body::text AS text FROM (${rows}) q OFFSET 0) q) q`
  )
}

export function outer({ managed, shape }: Columns): string {
  const columns = [
    'q.id',
    'q.json',
    'q.created_at AS "createdAt"',
    'q.updated_at AS "updatedAt"',
    'q.first_published_at AS "firstPublishedAt"',
    'q.published_at AS "publishedAt"',
    'q.custom_order AS "customOrder"',
  ]
  if (shape) columns.push('q.shape')
  if (managed)
    columns.push('q.version', 'q.status', 'q.created_by AS "createdBy"', 'q.updated_by AS "updatedBy"')
  return columns.join(', ')
}

const areConverting = (models: ContentModel[]) => models.some(({ conversions }) => conversions.length > 0)

/**
 * Returns the statement for documents by `_id`, in any order; missing ones have no row. With `expand` (reference fields
 * of the model), the referenced contents follow in the same result, at most `limit` × number of `ids` per target model.
 *
 * With `expand`, the column `model` contains the integer key of the target model, or null for the documents themselves.
 * The column `json` is null in all referenced contents of a target model if they are too large together.
 */
export function oneStatement(
  model: ContentModel,
  stage: Stage,
  ids: string[],
  { managed = false, expand = [], limit = 0 }: { managed?: boolean; expand?: Step[]; limit?: number } = {},
): Statement {
  const writer = new SqlWriter(model, stage)
  const columns = { managed, shape: areConverting([model, ...expand.map(({ target }) => target)]) }
  const found =
    `SELECT ${inner(writer, columns)} FROM document d` +
    ` WHERE ${writer.rows('d', model)} AND d.id = ANY(${writer.parameter(ids, 'text[]')})`
  if (expand.length === 0)
    return {
      text: `SELECT ${outer(columns)} FROM ${withJson(found, usuallyTogether)}`,
      values: writer.values,
    }

  const referred = { shape: columns.shape }
  const byTarget = new Map<ContentModel, Field[]>()
  for (const { field, target } of expand) byTarget.set(target, [...(byTarget.get(target) ?? []), field])
  const parts = [...byTarget].map(([target, fields]) => {
    const targets = fields.map((field) =>
      isMultiple(field)
        ? `SELECT jsonb_path_query(one.body->'${fieldId(field)}', '$[*]') #>> '{}' FROM one`
        : `SELECT one.body->'${fieldId(field)}'->>0 FROM one`,
    )
    // An array instead of IN makes the planner use the primary key, whatever row counts it estimates.
    const atMost = fields.some(isMultiple) ? limit : fields.length * usuallyTogether
    const ofOne = fields.some(isMultiple) ? limit : fields.length
    const most = writer.parameter(ofOne * ids.length, 'bigint')
    const found =
      `SELECT ${inner(writer, referred)} FROM document d WHERE ${writer.rows('d', target)}` +
      ` AND d.id = ANY(ARRAY(${targets.join(' UNION ALL ')})) LIMIT ${most}`
    return `SELECT ${integer(target.id)} AS model, ${outer(referred)} FROM ${withJson(found, atMost)}`
  })
  const own = `SELECT NULL::int AS model, ${outer(referred)} FROM ${withJson('SELECT * FROM one', usuallyTogether)}`
  return {
    text: `WITH one AS MATERIALIZED (${found}) ${[own, ...parts].join(' UNION ALL ')}`,
    values: writer.values,
  }
}

/**
 * Returns one statement for referenced documents of several models. The column `model` contains the model's integer
 * key.
 */
export function referredStatement(stage: Stage, wanted: { model: ContentModel; ids: string[] }[]): Statement {
  const values: unknown[] = []
  const columns = { shape: areConverting(wanted.map(({ model }) => model)) }
  const parts = wanted.map(({ model, ids }) => {
    const writer = new SqlWriter(model, stage)
    values.push(ids)
    return (
      `SELECT ${integer(model.id)} AS model, ${outer(columns)} FROM ` +
      withJson(
        `SELECT ${inner(writer, columns)} FROM document d` +
          ` WHERE ${writer.rows('d', model)} AND d.id = ANY($${values.length}::text[])`,
        ids.length,
      )
    )
  })
  return { text: parts.join(' UNION ALL '), values }
}
