import { Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { finishInputs } from '#admin/fields/unfinished.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import { ErrorState } from '#admin/ui/states.tsx'
import type { Revision } from '#shared/contract/documents.ts'
import { revisionQuery } from '../../documents.queries.ts'
import { useEditor } from '../editor-context.ts'
import { RevisionFacts } from './revision-facts.tsx'
import { RevisionValues, type View } from './revision-values.tsx'

interface RevisionWindowProps {
  /** `_id` of the document. */
  id: string
  revision: Revision
  onClose: () => void
}

/**
 * A window with one version of the document: its differences from the form, or all its values. The user can restore
 * values in the form.
 */
export function RevisionWindow({ id, revision, onClose }: RevisionWindowProps) {
  const t = useTranslations('documents.revisions')
  const { place } = useEditor()
  const [view, setView] = useState<View>('differences')
  const whole = useQuery(revisionQuery(place, id, revision.version))

  // Typed text that is not a value yet is converted first, because the comparison reads the values.
  useEffect(() => {
    void finishInputs()
  }, [])

  return (
    <Dialog onClose={onClose} title={t('windowTitle', { version: revision.version })} size="xl">
      <Stack gap="md">
        <div>
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {t(`kinds.${revision.kind}`)}
            </Text>
            {revision.published && <DocumentStatusChip status="published" />}
          </Group>
          <RevisionFacts revision={revision} />
        </div>
        <SegmentedControl
          aria-label={t('view')}
          style={{ alignSelf: 'start' }}
          value={view}
          onChange={(value) => setView(value as View)}
          data={(['differences', 'whole'] as const).map((value) => ({ value, label: t(`views.${value}`) }))}
        />
        {whole.isPending && <Skeleton height={160} />}
        {whole.isError && <ErrorState error={whole.error} retry={() => void whole.refetch()} />}
        {whole.data && <RevisionValues revision={whole.data} view={view} onClose={onClose} />}
      </Stack>
    </Dialog>
  )
}
