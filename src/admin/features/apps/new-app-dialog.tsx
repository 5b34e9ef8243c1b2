import { Button, Group, Skeleton, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { modals } from '#admin/lib/modals.ts'
import { appsQuery } from '#admin/lib/queries.ts'
import { suggestUid, uidText } from '#admin/lib/uid.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { useSuggestedUid } from '#admin/lib/use-suggested-uid.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'

const EmojiField = lazyPart(async () => (await import('./emoji-field.tsx')).EmojiField)

/** Opens the dialog that creates an empty app. */
export function openNewAppDialog(p: string, title: string): void {
  const id = modals.open({ title, children: <NewAppForm p={p} close={() => modals.close(id)} /> })
}

function NewAppForm({ p, close }: { p: string; close: () => void }) {
  const t = useTranslations('apps')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const form = useEndpointForm('POST /api/project/{p}/app', {
    values: { name: '', uid: '', description: '', icon: '' },
    params: { p },
    toBody: ({ icon, ...data }) => ({
      data: { ...data, icon: icon ? { type: 'emoji' as const, value: icon } : null },
    }),
    paths: { name: 'data.name', uid: 'data.uid', description: 'data.description', icon: null },
    codes: { AppUidIsAlreadyInUse: 'uid' },
    check: ({ name, uid }) => ({
      name: name.trim() ? null : issueText({ code: 'Required' }),
      uid: uidText('app', uid),
    }),
    saved: async ({ app }) => {
      await queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
      close()
      await navigate({ to: '/$p/$a', params: { p, a: app.uid } })
    },
  })

  const { nameProps, suggest } = useSuggestedUid(form, (name, reading) => suggestUid('app', name, reading))
  const { values, set, field, problem, saving, formProps } = form

  return (
    <form {...formProps}>
      <FormStack>
        <FormProblem text={problem} />
        <TextInput
          {...nameProps}
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
          suggest={suggest}
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
      </FormStack>
    </form>
  )
}
