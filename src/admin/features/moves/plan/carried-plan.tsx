import { Alert, Radio, Stack, Text } from '@mantine/core'
import { IconShieldCheck, IconShieldQuestion } from '@tabler/icons-react'
import { useFormatter, useTranslations } from 'use-intl'
import { useFileSize } from '#admin/ui/file-size.ts'
import { Section } from '#admin/ui/section.tsx'
import type { CarriedCorrections, CarriedPlan } from '#shared/contract/move-plans.ts'
import type { Move } from '#shared/contract/moves.ts'
import classes from '../moves.module.css'
import { canStart } from '../moves.queries.ts'
import { AppMovePlan } from './move-plan-frame.tsx'
import { type MovePlanWork, useAppMovePlanWork } from './use-move-plan-work.ts'

const correctionsOf = ({ app, ids }: CarriedPlan): CarriedCorrections => ({ app, ids })

/**
 * The plan of an app exported from Imori. Only the app's name and uid, and the handling of document `_id`s, can be
 * chosen.
 */
export function CarriedAppPlan({ p, move, plan }: { p: string; move: Move; plan: CarriedPlan }) {
  const t = useTranslations('moves.plan')
  const format = useFormatter()
  const size = useFileSize()
  const work = useAppMovePlanWork(p, move._id, plan, correctionsOf)
  const { models, customTypes, views, roles, revisions, source } = plan
  const { documents, assets, bytes } = plan.counts
  return (
    <AppMovePlan
      p={p}
      move={move}
      plan={plan}
      work={work}
      text={t('carried.text')}
      uidText={t('carried.uidText')}
      facts={[
        [t('counts.models'), format.number(models.length)],
        [t('counts.documents'), format.number(documents)],
        ...(revisions === undefined ? [] : [[t('carried.revisions'), format.number(revisions)] as const]),
        [t('counts.assets'), `${format.number(assets)} (${size(bytes)})`],
        [t('customTypes'), format.number(customTypes.length)],
        [t('carried.views'), format.number(views)],
        [t('carried.roles'), format.number(roles.length)],
      ]}
      about={<SignedBy signature={source.signature} />}
      choices={<Ids work={work} readOnly={!canStart(move)} />}
    >
      <Models plan={plan} />
    </AppMovePlan>
  )
}

function Ids({ work, readOnly }: { work: MovePlanWork<CarriedCorrections>; readOnly: boolean }) {
  const t = useTranslations('moves.plan.carried.ids')
  const { draft, change } = work
  return (
    <Radio.Group
      label={t('label')}
      mt="md"
      value={draft.ids}
      onChange={(ids) => !readOnly && change({ ...draft, ids: ids as CarriedPlan['ids'] })}
    >
      <Stack gap="xs" mt="xs">
        {(['kept', 'new'] as const).map((ids) => (
          <Radio key={ids} value={ids} disabled={readOnly} label={t(ids)} description={t(`${ids}Text`)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}

/** Shows whether this installation, another one, or none has signed an archive. */
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
