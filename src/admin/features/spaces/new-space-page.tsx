import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { spacesQuery } from '#admin/lib/queries.ts'
import { suggestUid, uidText } from '#admin/lib/uid.ts'
import { useContractForm } from '#admin/lib/use-contract-form.ts'
import { readingOf, useReading } from '#admin/lib/use-reading.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { Page } from '#admin/ui/page.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import classes from './new-space-page.module.css'

const starts = ['blog', 'empty'] as const

/** `/spaces/new` */
export function NewSpacePage() {
  const t = useTranslations('spaces')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const isFirst = useQuery(spacesQuery()).data?.length === 0
  const { values, set, touched, field, problem, saving, isDirty, onSubmit } = useContractForm<{
    name: string
    uid: string
    start: (typeof starts)[number] | null
  }>({
    defaultValues: { name: '', uid: '', start: null },
    codes: { SpaceUidIsAlreadyInUse: 'uid' },
    check: ({ name, uid }) => ({
      name: name.trim() ? null : issueText({ code: 'Required' }),
      uid: uidText('space', uid),
    }),
    submit: async ({ name, uid }) => {
      const { project } = await api('POST /api/project', {
        body: { project: { name, uid }, ...(start === 'blog' ? { template: 'blog' as const } : {}) },
      })
      await queryClient.invalidateQueries({ queryKey: spacesQuery().queryKey })
      await navigate({ to: '/$p', params: { p: project.uid } })
    },
  })
  const uid = values.uid
  // The sample is offered for the first space; whether it is the first is known a moment after the page is shown.
  const start = values.start ?? (isFirst ? 'blog' : 'empty')

  const suggest = (name: string) => set('uid', suggestUid('space', name, readingOf(name)))
  /** The uid follows the name until somebody writes one. */
  function follow(name: string) {
    if (!touched('uid') || values.uid === '') suggest(name)
  }
  const reading = useReading(follow)

  return (
    <Page title={t('new')} description={t('newText')} width="narrow">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="lg">
          <FormProblem text={problem} />
          <UnsavedGuard when={isDirty} />
          <TextInput
            {...field('name', follow)}
            {...reading}
            label={t('name')}
            placeholder={t('namePlaceholder')}
            maxLength={100}
            autoFocus
            required
          />
          <UidField
            {...field('uid')}
            kind="space"
            current={uid}
            suggest={() => suggest(values.name)}
            label={t('uid')}
            description={t('uidHint')}
            placeholder={common('uidExample', { uid: 'my-space' })}
            required
          />
          <Radio.Group
            label={t('start')}
            value={start}
            onChange={(chosen) => set('start', chosen as (typeof starts)[number])}
          >
            <div className={classes.starts}>
              {starts.map((one) => (
                <Radio.Card key={one} value={one} className={classes.start ?? ''}>
                  <Group wrap="nowrap" align="flex-start" gap="sm">
                    <Radio.Indicator mt={4} />
                    <div>
                      <Text fw={600}>{t(`starts.${one}`)}</Text>
                      <Text size="sm" c="dimmed">
                        {t(`startTexts.${one}`)}
                      </Text>
                    </div>
                  </Group>
                </Radio.Card>
              ))}
            </div>
          </Radio.Group>
          <Group>
            <Button type="submit" loading={saving}>
              {t('create')}
            </Button>
            <Button component={Link} to="/spaces" variant="default">
              {common('cancel')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  )
}
