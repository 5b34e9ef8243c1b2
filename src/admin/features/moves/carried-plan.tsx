import { Alert, Radio, Stack, Text } from '@mantine/core'
import { IconShieldCheck, IconShieldQuestion } from '@tabler/icons-react'
import { useFormatter, useTranslations } from 'use-intl'
import { useFileSize } from '#admin/ui/file-size.ts'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import type { CarriedCorrections, CarriedPlan } from '#shared/contract/move-plans.ts'
import { AppNames } from './app-names.tsx'
import classes from './moves.module.css'
import { BackFromPlan, PlanBar, usePlanHint } from './plan-bar.tsx'
import { PlanProblems } from './plan-problems.tsx'
import { usePlanWork } from './use-plan-work.ts'

interface CarriedPlanProps {
  p: string
  id: string
  partOf: string | null
  plan: CarriedPlan
  readOnly: boolean
}

const correctionsOf = ({ app, ids }: CarriedPlan): CarriedCorrections => ({ app, ids })

/** The plan of an archive that Imori wrote: the app becomes what it was; only its names and its `_id`s are chosen. */
export function CarriedPlanPage({ p, id, partOf, plan, readOnly }: CarriedPlanProps) {
  const t = useTranslations('moves.plan')
  const work = usePlanWork(p, id, plan, correctionsOf)
  const { draft, change, isDirty, busy, problem } = work
  const hint = usePlanHint()
  return (
    <Page
      title={t('title')}
      description={t('carried.text')}
      actions={<BackFromPlan p={p} id={id} partOf={partOf} />}
    >
      <UnsavedGuard when={isDirty && !busy} />
      <Facts plan={plan} />
      <SignedBy signature={plan.source.signature} />
      <PlanProblems problems={plan.problems} plan={plan} />
      <Section title={t('app.title')} description={t('app.text')}>
        <Stack gap="md">
          <AppNames
            app={draft.app}
            uidText={t('carried.uidText')}
            readOnly={readOnly}
            onChange={(app) => change({ app })}
          />
          <Radio.Group
            label={t('carried.ids.label')}
            value={draft.ids}
            onChange={(value) => !readOnly && change({ ids: value as CarriedPlan['ids'] })}
          >
            <Stack gap="xs" mt="xs">
              {(['kept', 'new'] as const).map((ids) => (
                <Radio
                  key={ids}
                  value={ids}
                  disabled={readOnly}
                  label={t(`carried.ids.${ids}`)}
                  description={t(`carried.ids.${ids}Text`)}
                />
              ))}
            </Stack>
          </Radio.Group>
        </Stack>
      </Section>
      <Models plan={plan} />
      {problem && (
        <Alert color="red" variant="light" mt="md" role="alert">
          {problem}
        </Alert>
      )}
      {!readOnly && (
        <PlanBar work={work} isPart={partOf !== null} hint={hint(work, draft.app.name, partOf)} />
      )}
    </Page>
  )
}

function Facts({ plan }: { plan: CarriedPlan }) {
  const t = useTranslations('moves.plan')
  const format = useFormatter()
  const size = useFileSize()
  const { documents, assets, bytes } = plan.counts
  const facts = [
    [t('counts.models'), format.number(plan.models.length)],
    [t('counts.documents'), format.number(documents)],
    ...(plan.revisions === undefined ? [] : [[t('carried.revisions'), format.number(plan.revisions)]]),
    [t('counts.assets'), `${format.number(assets)} (${size(bytes)})`],
    [t('customTypes'), format.number(plan.customTypes.length)],
    [t('carried.views'), format.number(plan.views)],
    [t('carried.roles'), format.number(plan.roles.length)],
  ]
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** By whom an archive was signed. */
export function SignedBy({ signature: { state, key } }: { signature: CarriedPlan['source']['signature'] }) {
  const t = useTranslations('moves.plan.carried.signature')
  const StateIcon = state === 'own' ? IconShieldCheck : IconShieldQuestion
  return (
    <Alert
      className={classes.alert ?? ''}
      color={state === 'own' ? 'mizu' : 'gray'}
      variant="light"
      icon={<StateIcon aria-hidden="true" />}
    >
      {t(state)} {state === 'other' && <code>{key}</code>}
    </Alert>
  )
}

function Models({ plan: { models } }: { plan: CarriedPlan }) {
  const t = useTranslations('moves.plan')
  return (
    <Section title={t('models')}>
      <ul className={classes.problems}>
        {models.map(({ uid, name, documents, fields }) => (
          <li key={uid}>
            <Text size="sm" component="div">
              <strong>{name}</strong> <code>{uid}</code>
            </Text>
            <Text size="sm" c="dimmed" component="div">
              {t('about', { fields: fields.length, count: documents })}
              {fields.length > 0 &&
                t('carried.fields', { names: fields.map((field) => field.name).join(t('comma')) })}
            </Text>
          </li>
        ))}
      </ul>
    </Section>
  )
}
