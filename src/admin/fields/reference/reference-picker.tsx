import { Button, Checkbox, Group, Loader, Radio, Skeleton, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { IconFilePlus, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { errorText } from '#admin/lib/errors.ts'
import { useSettledSearch } from '#admin/lib/use-settled-search.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import scrolling from '#admin/ui/scrolling-row.module.css'
import type { Model } from '#shared/contract/models.ts'
import type { FieldInputProps } from '../field-props.ts'
import { DocumentLook } from './document-look.tsx'
import classes from './reference.module.css'
import { choicesQuery } from './reference-queries.ts'

interface ReferencePickerProps extends Pick<FieldInputProps, 'place' | 'lookOf'> {
  /** The models to choose from, at least one. */
  models: readonly Model[]
  multiple: boolean
  maximum: number | null
  chosen: readonly string[]
  /** Called with the new selection in order, or with null if the user cancels. */
  onClose: (chosen: string[] | null) => void
  /**
   * Creates a new document instead. Receives the selection so far. undefined: the user may not create documents here.
   */
  onCreate: ((model: Model, chosen: string[]) => void) | undefined
}

/** A dialog to select documents of one model at a time. */
export function ReferencePicker(props: ReferencePickerProps) {
  const { place, lookOf, models, multiple, maximum, chosen, onClose, onCreate } = props
  const t = useTranslations('fields.reference')
  const common = useTranslations('common')
  const format = useFormatter()
  const [uid, setUid] = useState<string | null>(null)
  const model = models.find((one) => one.uid === uid) ?? models[0]
  const [typed, setTyped] = useState('')
  const search = useSettledSearch(typed)
  const [picked, setPicked] = useState<readonly string[]>(chosen)
  const list = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const choices = useInfiniteQuery({
    ...choicesQuery(place, model?.uid ?? '', search.text),
    enabled: model !== undefined,
    placeholderData: keepPreviousData,
  })
  const documents = choices.data?.pages.flatMap((page) => page.documents) ?? []
  const total = choices.data?.pages[0]?.total ?? 0
  const full = multiple && maximum !== null && picked.length >= maximum

  const { fetchNextPage, hasNextPage, isFetchingNextPage } = choices
  useEffect(() => {
    const element = end.current
    if (!element || !hasNextPage || isFetchingNextPage) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void fetchNextPage()
      },
      { root: list.current, rootMargin: '200px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [fetchNextPage, hasNextPage, isFetchingNextPage])

  function toggle(id: string) {
    if (!multiple) onClose([id])
    else if (picked.includes(id)) setPicked(picked.filter((one) => one !== id))
    else if (!full) setPicked([...picked, id])
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    if (isComposing(event) || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
    const boxes = [...(list.current?.querySelectorAll<HTMLInputElement>('input') ?? [])]
    const at = boxes.indexOf(event.target as HTMLInputElement)
    event.preventDefault()
    boxes[event.key === 'ArrowDown' ? Math.min(at + 1, boxes.length - 1) : Math.max(at - 1, 0)]?.focus()
  }

  if (!model) return null
  const [, another] = models
  const title = another ? t('pickerTitleOfSeveral') : t('pickerTitle', { model: model.name })
  return (
    <Dialog onClose={() => onClose(null)} title={title} size="lg">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only handles the arrow keys of the inputs inside. */}
      <div onKeyDown={onKeyDown}>
        <Stack gap="sm">
          {another && (
            <Tabs value={model.uid} onChange={setUid} variant="pills">
              {/* If there are many tabs, they scroll, so that the list below keeps its height. */}
              <Tabs.List aria-label={t('models')} className={scrolling.row ?? ''}>
                {models.map((one) => (
                  <Tabs.Tab key={one.uid} value={one.uid}>
                    {one.name}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
            </Tabs>
          )}
          <TextInput
            data-autofocus
            type="search"
            aria-label={t('search')}
            placeholder={t('search')}
            leftSection={<IconSearch size={16} />}
            rightSection={choices.isFetching ? <Loader size={16} /> : null}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            {...search.composition}
          />
          <Group justify="space-between" mih={30}>
            <Text size="xs" c="dimmed" role="status">
              {choices.data ? t('found', { total }) : ''}
            </Text>
            {onCreate && (
              <Button
                variant="subtle"
                size="compact-sm"
                leftSection={<IconFilePlus size={15} />}
                disabled={full}
                onClick={() => onCreate(model, [...picked])}
              >
                {t('create')}
              </Button>
            )}
          </Group>
          <div ref={list} className={classes.choices}>
            {choices.isPending && [1, 2, 3, 4].map((row) => <Skeleton key={row} height={44} mb={6} />)}
            {choices.isError && (
              <Text size="sm" c="var(--mantine-color-error)" role="alert">
                {errorText(choices.error)}
              </Text>
            )}
            {choices.data && documents.length === 0 && (
              <Text size="sm" c="dimmed" p="md" ta="center">
                {search.text ? t('noMatch') : t('noDocuments')}
              </Text>
            )}
            {documents.map((document) => {
              const common = {
                checked: picked.includes(document._id),
                label: <DocumentLook model={model} document={document} place={place} lookOf={lookOf} />,
                styles: {
                  root: { flex: 1, minWidth: 0 },
                  body: { alignItems: 'center' },
                  labelWrapper: { minWidth: 0 },
                },
                classNames: { label: classes.wholeRow ?? '' },
              }
              return (
                <div key={document._id} className={classes.choice}>
                  {multiple ? (
                    <Checkbox
                      {...common}
                      disabled={full && !picked.includes(document._id)}
                      onChange={() => toggle(document._id)}
                    />
                  ) : (
                    // A click or Enter selects the document. `onChange` does nothing, because otherwise the arrow keys
                    // would select documents while moving.
                    <Radio
                      {...common}
                      name={`${document._id}-choice`}
                      onChange={() => undefined}
                      onClick={() => toggle(document._id)}
                      onKeyDown={(event) => {
                        if (event.key !== 'Enter') return
                        event.preventDefault()
                        toggle(document._id)
                      }}
                    />
                  )}
                  <Text size="xs" c="dimmed" visibleFrom="xs" style={{ whiteSpace: 'nowrap' }}>
                    {format.dateTime(new Date(document._sys.updatedAt), { dateStyle: 'medium' })}
                  </Text>
                  <DocumentStatusChip status={document._sys.status} />
                </div>
              )
            })}
            <div ref={end} className={classes.end}>
              {isFetchingNextPage && <Loader size="sm" />}
            </div>
          </div>
          {multiple && (
            <Group justify="space-between">
              <Text size="sm" c="dimmed" role="status">
                {maximum === null
                  ? t('picked', { count: picked.length })
                  : t('pickedOf', { count: picked.length, maximum })}
              </Text>
              <Group gap="sm">
                <Button variant="default" onClick={() => onClose(null)}>
                  {common('cancel')}
                </Button>
                <Button onClick={() => onClose([...picked])}>{t('apply')}</Button>
              </Group>
            </Group>
          )}
        </Stack>
      </div>
    </Dialog>
  )
}
