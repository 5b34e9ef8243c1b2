import { Button, Group, Skeleton, Stack, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { loadScript } from '#admin/base/reload-guard.ts'
import { api } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { modals } from '#admin/lib/modals.ts'
import { appsQuery } from '#admin/lib/queries.ts'
import { suggestUid, uidText } from '#admin/lib/uid.ts'
import { useContractForm } from '#admin/lib/use-contract-form.ts'
import { readingOf, useReading } from '#admin/lib/use-reading.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'

const EmojiField = lazy(async () => ({
  default: (await loadScript(() => import('./emoji-field.tsx'))).EmojiField,
}))

/** Opens the window that makes an app. */
export function openNewAppDialog(p: string, title: string): void {
  const id = modals.open({ title, children: <NewAppForm p={p} close={() => modals.close(id)} /> })
}

function NewAppForm({ p, close }: { p: string; close: () => void }) {
  const t = useTranslations('apps')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { values, set, touched, field, problem, saving, onSubmit } = useContractForm({
    defaultValues: { name: '', uid: '', description: '', icon: '' },
    codes: { AppUidIsAlreadyInUse: 'uid' },
    check: ({ name, uid }) => ({
      name: name.trim() ? null : issueText({ code: 'Required' }),
      uid: uidText('app', uid),
    }),
    submit: async ({ name, uid, description, icon }) => {
      const { app } = await api('POST /api/project/{p}/app', {
        params: { p },
        body: { data: { name, uid, description, icon: icon ? { type: 'emoji', value: icon } : null } },
      })
      await queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
      close()
      await navigate({ to: '/$p/$a', params: { p, a: app.uid } })
    },
  })

  const suggest = (name: string) => set('uid', suggestUid('app', name, readingOf(name)))
  /** The uid follows the name until somebody writes one. */
  function follow(name: string) {
    if (!touched('uid') || values.uid === '') suggest(name)
  }
  const reading = useReading(follow)

  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <FormProblem text={problem} />
        <TextInput
          {...field('name', follow)}
          {...reading}
          label={t('name')}
          placeholder={t('namePlaceholder')}
          maxLength={100}
          data-autofocus
          required
        />
        <UidField
          {...field('uid')}
          kind="app"
          current={values.uid}
          suggest={() => suggest(values.name)}
          label={t('uid')}
          placeholder={common('uidExample', { uid: 'blog' })}
          required
        />
        <Suspense fallback={<Skeleton height={84} />}>
          <EmojiField value={values.icon} onChange={(icon) => set('icon', icon)} />
        </Suspense>
        <Textarea {...field('description')} label={t('description')} autosize minRows={2} maxLength={1000} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={saving}>
            {t('create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
