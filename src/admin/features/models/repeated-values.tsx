import { Anchor, List, Text } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { targetQuery, titleOfDocument } from '#admin/fields/reference/reference-queries.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import type { Repeated } from './model-editing.ts'

interface RepeatedValuesProps {
  repeated: readonly Repeated[]
  place: { p: string; a: string }
}

/** Maximum number of values that are shown, and of documents per value. */
const shown = 5

/** The repeated values that prevent a field from being unique, with links to the published documents. */
export function RepeatedValues({ repeated, place }: RepeatedValuesProps) {
  const t = useTranslations('models.problem')
  return (
    <List size="sm" mt={4}>
      {repeated.slice(0, shown).map((value) => (
        <List.Item key={`${value.model} ${value.field} ${value.value}`}>
          <OneValue {...value} place={place} />
        </List.Item>
      ))}
      {repeated.length > shown && (
        <Text size="sm" c="dimmed">
          {t('repeatedMore', { count: repeated.length - shown })}
        </Text>
      )}
    </List>
  )
}

function OneValue({ value, model: uid, documents, place }: Repeated & Pick<RepeatedValuesProps, 'place'>) {
  const t = useTranslations('models.problem')
  const { data: model } = useQuery(modelQuery(place.p, place.a, uid))
  const some = documents.slice(0, shown)
  const targets = useQueries({ queries: some.map((id) => targetQuery(place, uid, id)) })
  return (
    <>
      {t('repeatedValue', { value })}
      {some.map((id, index) => {
        const document = targets[index]?.data
        return (
          <Anchor
            key={id}
            size="sm"
            display="block"
            href={['', place.p, place.a, uid, id].map(encodeURIComponent).join('/')}
            target="_blank"
            rel="noopener"
          >
            {model && document ? titleOfDocument(model, document) : id}
          </Anchor>
        )
      })}
    </>
  )
}
