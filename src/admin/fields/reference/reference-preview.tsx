import { useQueries } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { modelQuery } from '#admin/lib/queries.ts'
import type { FieldPreviewProps } from '../field-props.ts'
import { chosenValues } from '../select/select-options.ts'
import classes from './reference.module.css'
import { targetQuery, titleOfDocument } from './reference-queries.ts'
import { targetUids } from './target-uids.ts'

/** Maximum number of titles that a cell shows. */
const shownTargets = 3

/** The titles of the first referenced documents, and the number of the others. */
export function ReferencePreview({ field, value, place }: FieldPreviewProps<'REFERENCE'>) {
  const ids = chosenValues(value).filter((id): id is string => typeof id === 'string')
  const t = useTranslations('fields')
  const uids = ids.length > 0 ? targetUids(field) : []
  const models = useQueries({ queries: uids.map((uid) => modelQuery(place.p, place.a, uid)) })
  const targets = useQueries({
    queries: ids.slice(0, shownTargets).flatMap((id) => uids.map((uid) => targetQuery(place, uid, id))),
  })
  const titles = targets.flatMap(({ data }, index) => {
    const model = models[index % uids.length]?.data
    return data && model ? [titleOfDocument(model, data)] : []
  })
  const more = ids.length - shownTargets
  return (
    <span className={classes.titles}>
      <span>{titles.join(t('separator'))}</span>
      {more > 0 && <span>{t('reference.others', { count: more })}</span>}
    </span>
  )
}
