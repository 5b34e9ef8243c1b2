import type { Field } from '#shared/fields/index.ts'
import type { ContentModel } from '../model.ts'
import { charactersOf, gramsOf, hasTexts } from '../text.ts'
import { fieldId, integer, RowSql, type Stage } from './row-sql.ts'
import type { FieldPlace, Leaf, Test } from './tree.ts'

/** Writes the common parts of statements on documents: parameters, CTE steps, and text search. */
export class StatementWriter extends RowSql {
  readonly values: unknown[] = []
  /** Keys of all models that the statement reads. */
  readonly modelIds: Set<number>
  private readonly steps: string[] = []
  protected aliases = 0

  /** The tables or views from which documents and their texts are read. */
  readonly tables: { documents: string; texts: string }

  /**
   * `managed`: for transactions that have entered a space. In these, row-level security would prevent the use of
   * indexes; the views avoid that.
   */
  constructor(model: Pick<ContentModel, 'id'>, stage: Stage, managed = false) {
    super(stage)
    this.tables = managed
      ? { documents: 'space_document', texts: 'space_document_text' }
      : { documents: 'document', texts: 'document_text' }
    this.modelIds = new Set([model.id])
  }

  parameter(value: unknown, cast: string): string {
    this.values.push(value)
    return `$${this.values.length}::${cast}`
  }

  /** Adds a CTE step to the statement and returns its name. */
  step(select: string): string {
    const name = `s${++this.aliases}`
    this.steps.push(`${name} AS MATERIALIZED (${select})`)
    return name
  }

  with(): string {
    return this.steps.length > 0 ? `WITH ${this.steps.join(', ')} ` : ''
  }

  /** Returns the condition for rows of a model in this stage. */
  rows(alias: string, model: ContentModel): string {
    const visible =
      this.stage === 'published' ? `${alias}.published_at IS NOT NULL` : `${alias}.deleted_at IS NULL`
    return `${alias}.model_id = ${integer(model.id)} AND ${visible}`
  }

  /** Returns the condition of a text search: one text within a field, or every word of a search within any field. */
  wanted(by: Test | string[], model: ContentModel): WantedText {
    if (Array.isArray(by)) {
      const fields = model.fields.filter(hasTexts)
      if (fields.length === 0) return { grams: [], contains: 'FALSE' }
      const contains = by.map((word) => {
        const parameter = this.parameter(word, 'text')
        const textOf = (field: Field) => {
          const text = `t.texts->>'${fieldId(field)}'`
          return hasKana(word) ? `fold_kana(${text})` : text
        }
        return `(${fields.map((field) => `strpos(${textOf(field)}, ${parameter}) > 0`).join(' OR ')})`
      })
      return {
        grams: [...new Set(by.flatMap((word) => this.gramsOf(word)))],
        contains: contains.join(' AND '),
      }
    }
    if (by.operator !== 'match') throw new TypeError(`${by.operator} is not looked for in texts`)
    const parameter = this.parameter(by.text, 'text')
    const { field, inside } = placeOf(by.leaf)
    const contains = `strpos(t.texts->>'${fieldId(inside?.[0]?.field ?? field)}', ${parameter}) > 0`
    return { grams: this.gramsOf(by.text), contains }
  }

  /** Returns the grams of a text. Single characters are indexed for current states only. */
  private gramsOf(text: string): number[] {
    const pairs = gramsOf(text)
    return pairs.length > 0 || this.stage === 'published' ? pairs : charactersOf(text)
  }

  /**
   * Selects the `id`s of documents whose texts match. The index of character pairs, or of single characters, finds
   * candidates. Then the text itself is compared.
   */
  inTexts({ grams, contains }: WantedText, model: ContentModel): string {
    const pairs = grams.length > 0 ? ` AND t.grams @> ${this.parameter(grams, 'int[]')}` : ''
    return `SELECT t.document_id::text COLLATE "C" AS id FROM ${this.tables.texts} t WHERE ${this.texts(model)}${pairs} AND ${contains}`
  }

  /** Returns SQL for whether the text of this one row matches. Cheaper than {@link inTexts} if many rows match. */
  inOwnText({ contains }: WantedText, alias: string, model: ContentModel): string {
    return `(SELECT ${contains} FROM ${this.tables.texts} t WHERE ${this.texts(model)} AND t.document_id = ${alias}.id)`
  }

  private texts(model: ContentModel): string {
    return `t.model_id = ${integer(model.id)} AND t.stage IN (${this.stageNumber}, 2)`
  }
}

/** Checks whether a word contains hiragana. Only such words need folded texts. */
const hasKana = (word: string) => /[\u3041-\u3096\u309d\u309e]/.test(word)

/**
 * Returns the condition that a text is among the results of the query (COLLATE "C"). PostgreSQL does not convert the
 * condition to a join: see `SqlWriter`.
 */
export const isAmong = (text: string, query: string) => `(${text} IN (${query})) IS TRUE`

interface WantedText {
  grams: number[]
  contains: string
}

export function placeOf(leaf: Leaf): FieldPlace {
  if (leaf.kind === 'system') throw new TypeError(`${leaf.name} is no field`)
  return leaf
}
