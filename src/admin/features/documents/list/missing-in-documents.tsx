import { useFormatter, useTranslations } from 'use-intl'
import type { Model } from '#shared/contract/models.ts'
import type { Issue } from '#shared/errors.ts'
import { namedIssue } from '../named-issue.ts'

/** Maximum number of documents that are named. The others are only counted. */
const mostNamed = 10

interface MissingInDocumentsProps {
  model: Model
  titles: ReadonlyMap<string, string>
  documents: readonly { _id: string; issues: Issue[] }[]
}

/** Lists documents that show files in the trash or deleted files, each with the names of the fields. */
export function MissingInDocuments({ model, titles, documents }: MissingInDocumentsProps) {
  const t = useTranslations('documents.bulk.missing')
  const editor = useTranslations('documents.editor')
  const format = useFormatter()
  const others = documents.length - mostNamed
  return (
    <>
      <p>{t('text', { count: documents.length })}</p>
      <ul style={{ paddingLeft: '1.2em', overflowWrap: 'anywhere' }}>
        {documents.slice(0, mostNamed).map(({ _id, issues }) => {
          const fields = new Set(issues.map((issue) => namedIssue(model, issue).name))
          const title = titles.get(_id) || editor('untitled')
          return <li key={_id}>{t('document', { title, fields: format.list(fields) })}</li>
        })}
      </ul>
      {others > 0 && <p>{editor('missingAssetsMore', { count: others })}</p>}
    </>
  )
}
