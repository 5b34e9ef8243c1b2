import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconCode, IconHistory } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { loadScript } from '#admin/base/reload-guard.ts'
import { useZoneName } from '#admin/fields/date/use-zone-name.ts'
import { adminFieldType } from '#admin/fields/index.ts'
import { CopyButton } from '#admin/ui/copy-field.tsx'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import type { Revision } from '#shared/contract/documents.ts'
import { revisionsQuery } from '../documents.queries.ts'
import { ApiPreview } from './api-preview.tsx'
import classes from './editor.module.css'
import { useDocument, useEditor, useSaveStatus, useValue } from './editor-context.ts'

const Outline = lazy(async () => ({
  default: (await loadScript(() => import('./outline.tsx'))).Outline,
}))

/** A form of so many fields has an outline beside it. */
const longForm = 10

/** What is known about the document: status, times, people, where it belongs, its history. */
export function SidePane() {
  const t = useTranslations('documents.side')
  const { model, place } = useEditor()
  const document = useDocument()
  const zone = useZoneName()
  const { phase } = useSaveStatus()
  const slug = model.fields.find((field) => field.uid === 'slug' && adminFieldType(field).line)

  return (
    <aside className={classes.side} aria-label={t('label')}>
      <Stack gap="lg">
        {model.fields.length >= longForm && (
          <Suspense>
            <Outline />
          </Suspense>
        )}
        <dl className={classes.facts}>
          <Fact name={t('status')}>
            {document ? (
              <DocumentStatusChip status={phase === 'deleted' ? 'deleted' : document.sys.status} />
            ) : (
              t('notSaved')
            )}
          </Fact>
          <Fact name={t('model')}>
            <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/$p/$a/$m" params={place} />}>
              {model.name}
            </Anchor>
          </Fact>
          {slug && <SlugFact uid={slug.uid} name={slug.name} />}
          {document && (
            <>
              <Fact name="ID">
                <span className={classes.id}>{document.id}</span>
                <CopyButton value={document.id} label={t('copyId')} />
              </Fact>
              <Fact name={t('createdAt')}>
                <Time at={document.sys.createdAt} />
                <Person name={document.sys.createdBy?.name} />
              </Fact>
              <Fact name={t('updatedAt')}>
                <Time at={document.sys.updatedAt} />
                <Person name={document.sys.updatedBy?.name} />
              </Fact>
              {document.sys.firstPublishedAt && (
                <Fact name={t('firstPublishedAt')}>
                  <Time at={document.sys.firstPublishedAt} />
                </Fact>
              )}
              {document.sys.publishedAt && (
                <Fact name={t('publishedAt')}>
                  <Time at={document.sys.publishedAt} />
                </Fact>
              )}
            </>
          )}
        </dl>
        {document && (
          <>
            <Text size="xs" c="dimmed">
              {t('zone', { zone })}
            </Text>
            <ApiButton id={document.id} />
            <Revisions id={document.id} version={document.sys.version} />
          </>
        )}
      </Stack>
    </aside>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function SlugFact({ uid, name }: { uid: string; name: string }) {
  const t = useTranslations('documents.side')
  const value = useValue(uid)
  if (typeof value !== 'string' || value === '') return null
  return (
    <Fact name={name}>
      <span className={classes.id}>{value}</span>
      <CopyButton value={value} label={t('copyValue', { name })} />
    </Fact>
  )
}

function Time({ at }: { at: string }) {
  const format = useFormatter()
  return (
    <time dateTime={at}>{format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' })}</time>
  )
}

function Person({ name }: { name: string | undefined }) {
  return name ? (
    <Text size="xs" c="dimmed">
      {name}
    </Text>
  ) : null
}

function ApiButton({ id }: { id: string }) {
  const t = useTranslations('documents.side')
  const [open, setOpen] = useState(false)
  return (
    <div>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconCode size={15} />}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {t('api')}
      </Button>
      {open && <ApiPreview id={id} onClose={() => setOpen(false)} />}
    </div>
  )
}

/** Who saved what kind of change when; the newest first. */
function Revisions({ id, version }: { id: string; version: number }) {
  const t = useTranslations('documents.revisions')
  const { place } = useEditor()
  const revisions = useQuery({ ...revisionsQuery(place, id, version), placeholderData: keepPreviousData })
  return (
    <section aria-label={t('title')}>
      <Group gap={6} mb="xs">
        <IconHistory size={16} aria-hidden="true" />
        <Text size="sm" fw={600}>
          {t('title')}
        </Text>
      </Group>
      {revisions.isPending && <Skeleton height={60} />}
      {revisions.isError && (
        <Text size="sm" c="dimmed">
          {t('failed')}
        </Text>
      )}
      <ol className={classes.revisions}>
        {revisions.data?.map((revision) => (
          <li key={revision.version}>
            <RevisionRow revision={revision} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function RevisionRow({ revision }: { revision: Revision }) {
  const t = useTranslations('documents.revisions')
  const author = revision.createdBy?.name ?? revision.author
  return (
    <>
      <div>
        <Text span size="sm">
          {t(`kinds.${revision.kind}`)}
        </Text>{' '}
        <Text span size="xs" c="dimmed">
          {t('version', { version: revision.version })}
        </Text>
      </div>
      <Text size="xs" c="dimmed" component="div">
        <Time at={revision.createdAt} />
        {author && `・${author}`}
      </Text>
    </>
  )
}
