import { Group, Select, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useFocusBack } from '#admin/lib/focus-back.ts'
import { CopyButton } from '#admin/ui/copy-field.tsx'
import { SideWindow } from '#admin/ui/side-window.tsx'
import { ErrorState } from '#admin/ui/states.tsx'
import { previewQuery } from '../documents.queries.ts'
import classes from './editor.module.css'
import { useEditor, useHasUnsaved } from './editor-context.ts'

/** The document as sites receive it, drafts included. */
export function ApiPreview({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useTranslations('documents.api')
  const { place } = useEditor()
  const unsaved = useHasUnsaved()
  useFocusBack()
  const [depth, setDepth] = useState(1)
  const preview = useQuery(previewQuery(place, id, depth))
  const json = preview.data ? JSON.stringify(preview.data, null, 2) : ''
  return (
    <SideWindow opened onClose={onClose} size="lg" title={t('title')}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {unsaved ? t('hintUnsaved') : t('hint')}
        </Text>
        <Group justify="space-between" align="flex-end">
          <Select
            label={t('depth')}
            w={140}
            data={['0', '1', '2', '3', '4', '5']}
            value={String(depth)}
            allowDeselect={false}
            onChange={(value) => setDepth(Number(value ?? 1))}
          />
          <CopyButton value={json} label={t('copy')} />
        </Group>
        {preview.isPending && <Skeleton height={240} />}
        {preview.isError && <ErrorState error={preview.error} retry={() => void preview.refetch()} />}
        {json && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so without a mouse.
          <section tabIndex={0} aria-label={t('title')} className={classes.json}>
            <pre>{json}</pre>
          </section>
        )}
      </Stack>
    </SideWindow>
  )
}
