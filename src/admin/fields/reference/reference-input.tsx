import { ActionIcon, Button, Group, Skeleton, Stack, Text, Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconExternalLink, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { loadScript } from '#admin/base/reload-guard.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import type { FieldInputProps, Place } from '../field-props.ts'
import { chosenValues } from '../select/select-options.ts'
import classes from './reference.module.css'
import { targetQuery, titleOfDocument } from './reference-queries.ts'

const SortableItems = lazy(async () => ({
  default: (await loadScript(() => import('../sortable-items.tsx'))).SortableItems,
}))
const ReferencePicker = lazy(async () => ({
  default: (await loadScript(() => import('./reference-picker.tsx'))).ReferencePicker,
}))

/** The documents referred to, in order, and a picker to choose them. */
export function ReferenceInput(props: FieldInputProps<'REFERENCE'>) {
  const { field, onChange, onBlur, readOnly, place, id, labelId, describedBy } = props
  const t = useTranslations('fields.reference')
  const [picking, setPicking] = useState(false)
  // In the preview of a field's settings no model may be chosen yet.
  const model = useQuery({ ...modelQuery(place.p, place.a, field.modelUid), enabled: field.modelUid !== '' })
  const ids = chosenValues(props.value).filter((one): one is string => typeof one === 'string')
  const full = field.multiple ? field.maxItems != null && ids.length >= field.maxItems : false

  function change(next: string[]) {
    onChange(field.multiple ? next : next.at(-1))
  }

  function move(from: number, to: number) {
    const moved = ids[from]
    if (moved !== undefined) change(ids.toSpliced(from, 1).toSpliced(to, 0, moved))
  }

  return (
    <Stack gap="xs" role="group" aria-labelledby={labelId} aria-describedby={describedBy}>
      {ids.length > 0 && (
        <Suspense fallback={<Skeleton height={48} />}>
          <SortableItems
            keys={ids}
            names={ids.map((_, index) => t('target', { number: index + 1 }))}
            readOnly={readOnly}
            fixed={ids.length < 2}
            onMove={move}
            onRemove={(index) => change(ids.toSpliced(index, 1))}
          >
            {(index) => <Target place={place} modelUid={field.modelUid} id={ids[index] ?? ''} />}
          </SortableItems>
        </Suspense>
      )}
      {!readOnly && (
        <Group gap="sm">
          <Button
            id={id}
            variant="default"
            size="sm"
            leftSection={<IconPlus size={15} />}
            disabled={full || model.isError || field.modelUid === ''}
            aria-haspopup="dialog"
            onClick={() => setPicking(true)}
          >
            {field.multiple || ids.length === 0 ? t('choose') : t('replace')}
          </Button>
          {model.isError && (
            <Text size="sm" c="var(--mantine-color-error)">
              {t('modelMissing', { model: field.modelUid })}
            </Text>
          )}
        </Group>
      )}
      {picking && model.data && (
        <Suspense>
          <ReferencePicker
            place={place}
            model={model.data}
            multiple={field.multiple}
            maximum={field.maxItems ?? null}
            chosen={ids}
            onClose={(next) => {
              setPicking(false)
              if (next) change(next)
              onBlur()
            }}
          />
        </Suspense>
      )}
    </Stack>
  )
}

/** One document referred to: its title, whether readers see it, and the way to it. */
function Target({ place, modelUid, id }: { place: Place; modelUid: string; id: string }) {
  const t = useTranslations('fields.reference')
  const { data: model } = useQuery(modelQuery(place.p, place.a, modelUid))
  const target = useQuery(targetQuery(place, modelUid, id))
  if (target.isPending || !model) return <Skeleton height={44} />
  const document = target.data
  const path = ['', place.p, place.a, modelUid, id].map(encodeURIComponent).join('/')
  if (!document)
    return (
      <div className={classes.target}>
        <Text size="sm" c="var(--mantine-color-error)">
          {target.isError ? t('loadFailed') : t('missing')}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {id}
        </Text>
      </div>
    )
  return (
    <div className={classes.target}>
      <div className={classes.title}>{titleOfDocument(model, document)}</div>
      <Group gap={6} wrap="nowrap">
        {document._sys.status === 'draft' && (
          <Tooltip label={t('unpublishedHint')} multiline w={240}>
            <span className={classes.warning}>
              <IconAlertTriangle size={14} aria-hidden="true" />
              <span>{t('unpublished')}</span>
            </span>
          </Tooltip>
        )}
        <DocumentStatusChip status={document._sys.status} />
        <Tooltip label={t('open')}>
          <ActionIcon
            component="a"
            href={path}
            target="_blank"
            rel="noopener"
            variant="subtle"
            color="gray"
            aria-label={t('openOf', { title: titleOfDocument(model, document) })}
          >
            <IconExternalLink size={16} />
          </ActionIcon>
        </Tooltip>
      </Group>
    </div>
  )
}
