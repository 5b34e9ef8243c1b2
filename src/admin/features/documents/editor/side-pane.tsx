import { Anchor, Button, Stack, Text } from '@mantine/core'
import { IconCode } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useZoneName } from '#admin/fields/date/use-zone-name.ts'
import { adminFieldType } from '#admin/fields/index.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { usePersonName } from '#admin/lib/use-person-name.ts'
import { CopyButton } from '#admin/ui/copy-field.tsx'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import { Time } from '#admin/ui/time.tsx'
import { ApiPreview } from './api-preview.tsx'
import classes from './editor.module.css'
import { useDocument, useEditor, useSaveStatus, useValue } from './editor-context.ts'
import { Revisions } from './history/revisions.tsx'

const Outline = lazyPart(async () => (await import('./outline.tsx')).Outline)

/** Minimum number of fields of a form that has an outline. */
const longForm = 10

/**
 * Facts about the document, such as status, id, times and authors, with the API preview and the history. A long form
 * also has an outline.
 */
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
                <Person person={document.sys.createdBy} />
              </Fact>
              <Fact name={t('updatedAt')}>
                <Time at={document.sys.updatedAt} />
                <Person person={document.sys.updatedBy} />
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

function Person({ person }: { person: { name: string } | null }) {
  const name = usePersonName()(person)
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
