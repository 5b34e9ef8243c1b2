import { useQueries, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { modelQuery } from '#admin/lib/queries.ts'
import type { FieldPreviewProps } from '../field-props.ts'
import { chosenValues } from '../select/select-options.ts'
import classes from './reference.module.css'
import { targetQuery, titleOfDocument } from './reference-queries.ts'

/** A cell has room for a few titles; the rest is counted. */
const shownTargets = 3

/** The titles of what is referred to. */
export function ReferencePreview({ field, value, place }: FieldPreviewProps<'REFERENCE'>) {
  const ids = chosenValues(value).filter((id): id is string => typeof id === 'string')
  const t = useTranslations('fields')
  const { data: model } = useQuery(modelQuery(place.p, place.a, field.modelUid))
  const targets = useQueries({
    queries: ids.slice(0, shownTargets).map((id) => targetQuery(place, field.modelUid, id)),
  })
  if (!model) return null
  const titles = targets.flatMap(({ data }) => (data ? [titleOfDocument(model, data)] : []))
  const more = ids.length - shownTargets
  return (
    <span className={classes.titles}>
      <span>{titles.join(t('separator'))}</span>
      {more > 0 && <span>{t('reference.others', { count: more })}</span>}
    </span>
  )
}
