import { Button, Text } from '@mantine/core'
import { IconArrowBackUp, IconArrowLeft, IconTrash } from '@tabler/icons-react'
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { modelQuery } from '#admin/lib/queries.ts'
import { usePersonName } from '#admin/lib/use-person-name.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { TrashedDocument } from '#shared/contract/documents.ts'
import { type ModelPlace, trashQuery } from '../documents.queries.ts'
import { useDocumentRights } from '../use-document-rights.ts'
import { restoreDocuments } from './restore.ts'
import classes from './trash.module.css'

/** `/{p}/{a}/{m}/-/trash`: recently deleted documents, which can be restored. */
export function TrashPage() {
  const t = useTranslations('documents.trash')
  const editor = useTranslations('documents.editor')
  const { p = '', a = '', m = '' } = useParams({ strict: false })
  const place = { p, a, m }
  const { data: model } = useSuspenseQuery(modelQuery(p, a, m))
  const trash = useInfiniteQuery(trashQuery(place))
  const documents = trash.data?.pages.flatMap((page) => page.documents) ?? []

  return (
    <Page
      title={t('title', { model: model.name })}
      description={t('text')}
      actions={
        <Button
          variant="default"
          leftSection={<IconArrowLeft size={16} />}
          renderRoot={(props) => <Link {...props} to="/$p/$a/$m" params={place} />}
        >
          {editor('toList')}
        </Button>
      }
    >
      {trash.isPending ? (
        <SkeletonList />
      ) : trash.error && !trash.data ? (
        <ErrorState error={trash.error} retry={() => void trash.refetch()} />
      ) : documents.length === 0 ? (
        <EmptyState
          icon={<IconTrash size={36} stroke={1.4} aria-hidden="true" />}
          title={t('empty')}
          text={t('emptyText')}
        />
      ) : (
        <>
          <ul className={classes.list}>
            {documents.map((document) => (
              <TrashedRow key={document._id} document={document} place={place} />
            ))}
          </ul>
          {trash.hasNextPage && (
            <Button
              variant="default"
              mt="md"
              loading={trash.isFetchingNextPage}
              onClick={() => void trash.fetchNextPage()}
            >
              {t('more')}
            </Button>
          )}
        </>
      )}
    </Page>
  )
}

function TrashedRow({ document, place }: { document: TrashedDocument; place: ModelPlace }) {
  const t = useTranslations('documents.trash')
  const list = useTranslations('documents.list')
  const format = useFormatter()
  const nameOf = usePersonName()
  const [running, setRunning] = useState(false)
  const status = document.published ? 'published' : 'draft'
  const rights = useDocumentRights(place)({ sys: { createdBy: document.createdBy, status } })
  const title = document.title || list('untitled')

  async function restore() {
    setRunning(true)
    await restoreDocuments(place, [document])
    setRunning(false)
  }

  return (
    <li className={classes.row}>
      <div className={classes.words}>
        <Text fw={550}>{title}</Text>
        <Text size="xs" c="dimmed">
          {t(document.deletedBy ? 'deletedBy' : 'deletedAt', {
            time: format.dateTime(new Date(document.deletedAt), { dateStyle: 'medium', timeStyle: 'short' }),
            name: nameOf(document.deletedBy) ?? '',
          })}
          {document.published && ` ${t('wasPublished')}`}
        </Text>
      </div>
      {rights.delete && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconArrowBackUp size={15} />}
          aria-label={t('undoOf', { title })}
          loading={running}
          onClick={() => void restore()}
        >
          {t('restore')}
        </Button>
      )}
    </li>
  )
}
