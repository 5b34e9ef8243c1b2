import { Button, Group, Skeleton, Text, UnstyledButton } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import type { Revision } from '#shared/contract/documents.ts'
import { revisionsQuery } from '../../documents.queries.ts'
import { useEditor } from '../editor-context.ts'
import classes from './history.module.css'
import { RevisionFacts } from './revision-facts.tsx'

const RevisionWindow = lazyPart(async () => (await import('./revision-window.tsx')).RevisionWindow)

/** The history, newest first: author, kind and time of each change. An entry opens that version. */
export function Revisions({ id, version }: { id: string; version: number }) {
  const t = useTranslations('documents.revisions')
  const { place } = useEditor()
  const [opened, setOpened] = useState<Revision | null>(null)
  const revisions = useInfiniteQuery({
    ...revisionsQuery(place, id, version),
    placeholderData: keepPreviousData,
  })
  return (
    <section aria-label={t('title')}>
      <Group gap={6} mb="xs">
        <IconHistory size={16} aria-hidden="true" />
        <Text size="sm" fw={600}>
          {t('title')}
        </Text>
      </Group>
      {revisions.isPending && <Skeleton height={60} />}
      <ol className={classes.revisions}>
        {revisions.data?.pages.flat().map((revision) => (
          <li key={revision.version}>
            <UnstyledButton
              className={classes.entry}
              aria-haspopup="dialog"
              onClick={() => setOpened(revision)}
            >
              <Text span size="sm">
                {t(`kinds.${revision.kind}`)}
              </Text>{' '}
              <Text span size="xs" c="dimmed">
                {t('version', { version: revision.version })}
              </Text>{' '}
              {revision.published && <DocumentStatusChip status="published" />}
              <RevisionFacts revision={revision} />
            </UnstyledButton>
          </li>
        ))}
      </ol>
      {revisions.isError && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('failed')}
        </Text>
      )}
      {revisions.hasNextPage && (
        <Button
          variant="default"
          size="xs"
          mt="sm"
          loading={revisions.isFetchingNextPage}
          onClick={() => void revisions.fetchNextPage()}
        >
          {t('more')}
        </Button>
      )}
      {opened && (
        <Suspense>
          <RevisionWindow id={id} revision={opened} onClose={() => setOpened(null)} />
        </Suspense>
      )}
    </section>
  )
}
