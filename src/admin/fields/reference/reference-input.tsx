import { Button, Group, Menu, Skeleton, Stack, Text } from '@mantine/core'
import { IconFilePlus, IconPlus } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { Suspense, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError } from '#admin/lib/api.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import type { Model } from '#shared/contract/models.ts'
import { useDocumentWindow } from '../document-window.ts'
import type { FieldInputProps, Place } from '../field-props.ts'
import { chosenValues } from '../select/select-options.ts'
import { targetQuery } from './reference-queries.ts'
import { TargetCard } from './target-card.tsx'
import { targetUids } from './target-uids.ts'

const SortableItems = lazyPart(async () => (await import('../sortable-items.tsx')).SortableItems)
const ReferencePicker = lazyPart(async () => (await import('./reference-picker.tsx')).ReferencePicker)

/** The input of a reference field: the referenced documents in order, and a picker. */
export function ReferenceInput(props: FieldInputProps<'REFERENCE'>) {
  const { field, onChange, onBlur, readOnly, place, id, labelId, describedBy, lookOf } = props
  const t = useTranslations('fields.reference')
  const [picking, setPicking] = useState(false)
  // In the preview of a field's settings, the model may not be chosen yet.
  const uids = targetUids(field)
  const { models, hidden, isFailed } = useQueries({
    queries: uids.map((uid) => modelQuery(place.p, place.a, uid)),
    combine: (results) => ({
      models: results.flatMap(({ data }) => data ?? []),
      hidden: uids.filter((_, index) => isNotForUs(results[index]?.error)),
      isFailed: results.some(({ error }) => error && !isNotForUs(error)),
    }),
  })
  const ids = chosenValues(props.value).filter((one): one is string => typeof one === 'string')
  const unseen = useUnseen(place, { ids, models, isPartial: hidden.length > 0 })
  const full = field.multiple ? field.maxItems != null && ids.length >= field.maxItems : false
  const over = useDocumentWindow()
  const can = useCanInApp(place.p, place.a)
  const mayCreate = over !== null && models.length > 0 && can('document.write.own')

  function change(next: string[]) {
    onChange(field.multiple ? next : next.at(-1))
  }

  /** A ref, so that a document that is saved later is added to the current value. */
  const latest = useRef({ ids, change })
  latest.current = { ids, change }

  function create(modelUid: string) {
    over?.open({
      modelUid,
      id: null,
      onSaved: (id) => {
        latest.current.change([...latest.current.ids, id])
        onBlur()
      },
    })
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
            isKept={(index) => unseen.has(ids[index] ?? '')}
            onMove={move}
            onRemove={(index) => {
              change(ids.toSpliced(index, 1))
              onBlur()
            }}
          >
            {(index) => (
              <TargetCard
                place={place}
                modelUids={uids}
                id={ids[index] ?? ''}
                lookOf={lookOf}
                readOnly={readOnly}
                isHidden={unseen.has(ids[index] ?? '')}
              />
            )}
          </SortableItems>
        </Suspense>
      )}
      {!readOnly && (
        <Group gap="sm">
          {models.length === 0 && hidden.length > 0 ? null : (
            <Button
              id={id}
              variant="default"
              size="sm"
              leftSection={<IconPlus size={15} />}
              disabled={full || models.length === 0}
              aria-haspopup="dialog"
              onClick={() => setPicking(true)}
            >
              {field.multiple || ids.length === 0 ? t('choose') : t('replace')}
            </Button>
          )}
          {mayCreate && <CreateButton models={models} disabled={full} onCreate={create} />}
          {hidden.length > 0 && (
            <Text size="sm" c="dimmed">
              {t('modelHidden')}
            </Text>
          )}
          {isFailed && (
            <Text size="sm" c="var(--mantine-color-error)">
              {t('loadFailed')}
            </Text>
          )}
        </Group>
      )}
      {picking && models.length > 0 && (
        <Suspense>
          <ReferencePicker
            place={place}
            models={models}
            multiple={field.multiple}
            maximum={field.maxItems ?? null}
            chosen={ids}
            lookOf={lookOf}
            onCreate={
              mayCreate
                ? (model, picked) => {
                    setPicking(false)
                    change(picked)
                    create(model.uid)
                  }
                : undefined
            }
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

/** Returns whether the model does not exist or is hidden from this member. */
const isNotForUs = (error: unknown) => error instanceof ApiError && [403, 404].includes(error.status)

/**
 * If a target model is hidden from this member, returns the references that are not found in the other models;
 * otherwise none. A member who cannot see a document cannot select it again, so they may not remove it either.
 */
function useUnseen(
  place: Place,
  { ids, models, isPartial }: { ids: readonly string[]; models: readonly Model[]; isPartial: boolean },
): ReadonlySet<string> {
  const wanted = isPartial ? ids : []
  return useQueries({
    queries: wanted.flatMap((id) => models.map(({ uid }) => targetQuery(place, uid, id))),
    combine: (found) => {
      const isSeen = (at: number) =>
        found.slice(at * models.length, (at + 1) * models.length).some(({ data }) => data)
      return new Set(wanted.filter((_, at) => !isSeen(at)))
    },
  })
}

interface CreateButtonProps {
  models: readonly Model[]
  disabled: boolean
  onCreate: (modelUid: string) => void
}

function CreateButton({ models, disabled, onCreate }: CreateButtonProps) {
  const t = useTranslations('fields.reference')
  const [only, ...more] = models
  const look = {
    variant: 'subtle',
    size: 'sm',
    leftSection: <IconFilePlus size={15} />,
    disabled,
  } as const
  if (only && more.length === 0)
    return (
      <Button {...look} aria-haspopup="dialog" onClick={() => onCreate(only.uid)}>
        {t('create')}
      </Button>
    )
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button {...look}>{t('create')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {models.map(({ uid, name }) => (
          <Menu.Item key={uid} onClick={() => onCreate(uid)}>
            {t('createIn', { model: name })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
