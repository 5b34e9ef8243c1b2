import { Button, Group, Text } from '@mantine/core'
import { IconForms, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { formsQuery } from '#admin/lib/queries.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { CopyButton } from '#admin/ui/copy-field.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import { Time } from '#admin/ui/time.tsx'
import { countedSubmissions } from '#shared/contract/form-submissions.ts'
import type { Form } from '#shared/contract/forms.ts'
import { formLimits } from '#shared/forms/fields.ts'
import { Forbidden } from './forbidden.tsx'
import { FormState } from './form-state.tsx'
import classes from './forms.module.css'
import { deletedFormsQuery } from './forms.queries.ts'
import { NewFormDialog } from './new-form-dialog.tsx'
import { PresetCards } from './preset-cards.tsx'
import type { PresetName } from './presets.ts'
import { RestoreForm } from './restore-form.tsx'

const route = getRouteApi('/signed-in/$p/-/forms')

/** `/{p}/-/forms` */
export function FormsPage() {
  const { p } = route.useParams()
  const { trash } = route.useSearch()
  const can = useCanInSpace(p)
  if (!can('form.read')) return <Forbidden />
  return trash ? <Trash p={p} /> : <Forms p={p} />
}

function Forms({ p }: { p: string }) {
  const t = useTranslations('forms')
  const mayManage = useCanInSpace(p)('form.manage')
  const [preset, setPreset] = useState<PresetName | null>(null)
  const { data: forms, error, refetch } = useQuery(formsQuery(p))
  const isFull = (forms?.length ?? 0) >= formLimits.perSpace
  const hasForms = forms !== undefined && forms.length > 0
  return (
    <Page
      title={t('title')}
      description={t('text')}
      actions={
        mayManage && (
          <>
            <Button
              variant="default"
              leftSection={<IconTrash size={16} />}
              renderRoot={(props) => (
                <Link {...props} to="/$p/-/forms" params={{ p }} search={{ trash: 'true' }} />
              )}
            >
              {t('trash.open')}
            </Button>
            {hasForms && !isFull && (
              <Button leftSection={<IconPlus size={16} />} onClick={() => setPreset('contact')}>
                {t('create')}
              </Button>
            )}
          </>
        )
      }
    >
      {!forms && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />)}
      {forms?.length === 0 && (
        <EmptyState
          icon={<IconForms size={36} stroke={1.4} aria-hidden="true" />}
          title={t('empty.title')}
          text={t(mayManage ? 'empty.text' : 'empty.textReadOnly')}
          action={mayManage && <PresetCards onChoose={setPreset} />}
        />
      )}
      {hasForms && (
        <>
          <LoadProblem error={error} retry={() => void refetch()} />
          <ul className={classes.list} aria-label={t('title')}>
            {forms.map((form) => (
              <FormRow key={form._id} p={p} form={form} />
            ))}
          </ul>
          {isFull && (
            <Text size="sm" c="dimmed">
              {t('full', { count: formLimits.perSpace })}
            </Text>
          )}
        </>
      )}
      {preset && <NewFormDialog p={p} preset={preset} onClose={() => setPreset(null)} />}
    </Page>
  )
}

/** A form in the list: its name, state, new submissions, latest submission and address. */
function FormRow({ p, form }: { p: string; form: Form }) {
  const t = useTranslations('forms')
  const format = useFormatter()
  const { _id: id, name, newSubmissions, lastReceivedAt, url } = form
  const mayRead = newSubmissions !== null
  const count = newSubmissions ?? 0
  const shown = count >= countedSubmissions ? `${countedSubmissions - 1}+` : format.number(count)
  return (
    <li className={classes.item}>
      <div>
        <Group gap="xs">
          <Link to="/$p/-/forms/$form" params={{ p, form: id }} className={classes.link ?? ''}>
            {name}
          </Link>
          <FormState form={form} />
        </Group>
        <div className={classes.meta}>
          {mayRead && (
            <span>
              {lastReceivedAt
                ? t.rich('lastReceived', { time: () => <Time at={lastReceivedAt} /> })
                : t('neverReceived')}
            </span>
          )}
          <span className={classes.address}>
            <span>{url}</span>
            <CopyButton value={url} label={t('copyAddressOf', { name })} />
          </span>
        </div>
      </div>
      {count > 0 && (
        <Link to="/$p/-/forms/$form" params={{ p, form: id }} className={classes.news ?? ''}>
          {t('newCount', { count: shown })}
        </Link>
      )}
    </li>
  )
}

function Trash({ p }: { p: string }) {
  const t = useTranslations('forms.trash')
  const { data: forms, error, refetch } = useQuery(deletedFormsQuery(p))
  return (
    <Page
      title={t('title')}
      description={t('text')}
      actions={
        <Button variant="default" renderRoot={(props) => <Link {...props} to="/$p/-/forms" params={{ p }} />}>
          {t('back')}
        </Button>
      }
    >
      {!forms && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />)}
      {forms?.length === 0 && (
        <EmptyState icon={<IconTrash size={36} stroke={1.4} aria-hidden="true" />} title={t('empty')} />
      )}
      {forms && forms.length > 0 && (
        <>
          <LoadProblem error={error} retry={() => void refetch()} />
          <ul className={classes.list} aria-label={t('title')}>
            {forms.map((form) => (
              <li key={form._id} className={classes.item}>
                <div>
                  <strong>{form.name}</strong>
                  {form.deletedAt && (
                    <div className={classes.meta}>
                      <span>{t.rich('deletedAt', { time: () => <Time at={form.deletedAt ?? ''} /> })}</span>
                    </div>
                  )}
                </div>
                <RestoreForm p={p} form={form} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Page>
  )
}
