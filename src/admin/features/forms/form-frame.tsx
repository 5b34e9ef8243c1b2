import { Alert } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { CopyButton } from '#admin/ui/copy-field.tsx'
import { Page } from '#admin/ui/page.tsx'
import { PageTabs } from '#admin/ui/page-tabs.tsx'
import { ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import type { Form } from '#shared/contract/forms.ts'
import { Forbidden } from './forbidden.tsx'
import { FormState } from './form-state.tsx'
import classes from './forms.module.css'
import { formQuery } from './forms.queries.ts'

/** A page of one form: its name, state and address, and the tabs. `children` renders the tab's content. */
export function FormFrame({ children }: { children: (form: Form, p: string) => ReactNode }) {
  const { p = '', form: id = '' } = useParams({ strict: false })
  return useCanInSpace(p)('form.read') ? (
    <OneForm key={id} p={p} id={id}>
      {children}
    </OneForm>
  ) : (
    <Forbidden />
  )
}

interface OneFormProps {
  p: string
  id: string
  children: (form: Form, p: string) => ReactNode
}

function OneForm({ p, id, children }: OneFormProps) {
  const t = useTranslations('forms')
  const can = useCanInSpace(p)
  const { data: form, error, refetch } = useQuery(formQuery(p, id))
  if (!form)
    return (
      <Page title={t('title')}>
        {error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />}
      </Page>
    )
  return (
    <Page title={form.name}>
      <div className={classes.about}>
        <Link to="/$p/-/forms" params={{ p }}>
          {t('all')}
        </Link>
        <FormState form={form} />
        <span className={classes.address}>
          <span>{form.url}</span>
          <CopyButton value={form.url} label={t('copyAddress')} />
        </span>
      </div>
      <PageTabs
        label={t('tabs.label', { name: form.name })}
        pages={[
          ...(can('submission.read') ? [{ to: '/$p/-/forms/$form', label: t('tabs.inbox') } as const] : []),
          { to: '/$p/-/forms/$form/fields', label: t('tabs.fields') },
          { to: '/$p/-/forms/$form/install', label: t('tabs.install') },
          { to: '/$p/-/forms/$form/mail', label: t('tabs.mail') },
          { to: '/$p/-/forms/$form/settings', label: t('tabs.settings') },
        ]}
      />
      <LoadProblem error={error} retry={() => void refetch()} />
      {form.deletedAt !== null && (
        <Alert color="orange" variant="light" icon={<IconTrash size={18} />} mb="lg">
          {t('inTrash')}{' '}
          <Link to="/$p/-/forms" params={{ p }} search={{ trash: 'true' }} className={classes.link ?? ''}>
            {t('trash.title')}
          </Link>
        </Alert>
      )}
      {children(form, p)}
    </Page>
  )
}
