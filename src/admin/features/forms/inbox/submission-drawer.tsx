import { ActionIcon, Anchor, Button, Group, Stack, Tooltip } from '@mantine/core'
import {
  IconArrowBackUp,
  IconChevronDown,
  IconChevronLeft,
  IconChevronRight,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useFocusBack } from '#admin/lib/focus-back.ts'
import { shortcutText } from '#admin/lib/shortcuts.ts'
import { Fact, Facts } from '#admin/ui/facts.tsx'
import { SideWindow } from '#admin/ui/side-window.tsx'
import { StateChip } from '#admin/ui/state-chip.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { Time } from '#admin/ui/time.tsx'
import type { SubmissionDetail } from '#shared/contract/form-submissions.ts'
import type { Form } from '#shared/contract/forms.ts'
import classes from '../forms.module.css'
import { submissionQuery } from './inbox.queries.ts'
import { StateMenu } from './state-menu.tsx'
import { SubmissionValues } from './submission-values.tsx'
import { stateLooks } from './submission-words.ts'
import type { InboxAction } from './use-inbox-actions.tsx'

interface SubmissionDrawerProps {
  p: string
  form: Form
  /** `_id` of the submission. */
  id: string
  mayManage: boolean
  /** Opens the previous or next submission of the list. null: there is none. */
  onPrevious: (() => void) | null
  onNext: (() => void) | null
  onAct: (action: InboxAction, submission: SubmissionDetail) => void
  onClose: () => void
}

/** One submission with all its values and files. Opening it does not change its state. */
export function SubmissionDrawer(props: SubmissionDrawerProps) {
  const { p, form, id, mayManage, onPrevious, onNext, onAct, onClose } = props
  const t = useTranslations('forms.inbox.detail')
  useFocusBack()
  const { data, error, refetch } = useQuery(submissionQuery(p, form._id, id))
  return (
    <SideWindow
      opened
      onClose={onClose}
      size="lg"
      title={
        <Group gap={4} wrap="nowrap">
          <span>{t('title')}</span>
          <Step label={t('previous')} keys="k" onStep={onPrevious} icon={<IconChevronLeft size={18} />} />
          <Step label={t('next')} keys="j" onStep={onNext} icon={<IconChevronRight size={18} />} autofocus />
        </Group>
      }
    >
      {data ? (
        <Stack gap="lg" key={id}>
          <Actions submission={data} mayManage={mayManage} onAct={(action) => onAct(action, data)} />
          <SubmissionValues p={p} form={form} submission={data} />
          <div className={classes.origin}>
            <Facts>
              <Fact name={t('receivedAt')}>
                <Time at={data.receivedAt} />
              </Fact>
              {data.page && (
                <Fact name={t(isSite(data.page) ? 'site' : 'page')}>
                  <PageAddress url={data.page} />
                </Fact>
              )}
              <Fact name={t('language')}>{t(`languages.${data.language}`)}</Fact>
              {data.replyState && <Fact name={t('reply')}>{t(`replyStates.${data.replyState}`)}</Fact>}
              {data.deletedAt && (
                <Fact name={t('deletedAt')}>
                  <Time at={data.deletedAt} />
                </Fact>
              )}
            </Facts>
          </div>
        </Stack>
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <SkeletonList />
      )}
    </SideWindow>
  )
}

interface StepProps {
  label: string
  keys: string
  onStep: (() => void) | null
  icon: React.ReactNode
  autofocus?: boolean
}

function Step({ label, keys, onStep, icon, autofocus = false }: StepProps) {
  return (
    <Tooltip label={`${label} (${shortcutText(keys)})`}>
      {/* The button stays focusable at the end of the list, so that the focus is not lost. */}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        {...(onStep ? { onClick: onStep } : { 'data-disabled': true, 'aria-disabled': true })}
        {...(autofocus ? { 'data-autofocus': true } : {})}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}

interface ActionsProps {
  submission: SubmissionDetail
  mayManage: boolean
  onAct: (action: InboxAction) => void
}

/** The state of the submission, and the buttons for the usual next step. */
function Actions({ submission: { state, deletedAt }, mayManage, onAct }: ActionsProps) {
  const t = useTranslations('forms.inbox')
  const chip = <StateChip {...stateLooks[state]} text={t(`states.${state}`)} />
  if (!mayManage) return <div>{chip}</div>
  if (deletedAt !== null)
    return (
      <Group gap="sm">
        {chip}
        <Button
          size="xs"
          variant="default"
          leftSection={<IconArrowBackUp size={15} />}
          onClick={() => onAct('restore')}
        >
          {t('restore')}
        </Button>
      </Group>
    )
  return (
    <Group gap="xs">
      <StateMenu current={state} onChoose={onAct}>
        <Button
          size="xs"
          variant="default"
          rightSection={<IconChevronDown size={13} />}
          aria-label={t('stateIs', { state: t(`states.${state}`) })}
        >
          {chip}
        </Button>
      </StateMenu>
      {state === 'new' && (
        <Button size="xs" variant="light" onClick={() => onAct('inProgress')}>
          {t('mark.inProgress')}
        </Button>
      )}
      {state !== 'done' && state !== 'spam' && (
        <Button size="xs" variant="light" onClick={() => onAct('done')}>
          {t('mark.done')}
        </Button>
      )}
      {state === 'spam' && (
        <Button size="xs" variant="light" onClick={() => onAct('new')}>
          {t('mark.notSpam')}
        </Button>
      )}
      <Button
        size="xs"
        variant="subtle"
        color="red.8"
        c="var(--mantine-color-error)"
        ml="auto"
        leftSection={<IconTrash size={15} />}
        onClick={() => onAct('trash')}
      >
        {t('toTrash')}
      </Button>
    </Group>
  )
}

/** Browsers often send only the site of the page. */
const isSite = (url: string) => URL.canParse(url) && new URL(url).pathname === '/'

/** The address of the page that sent the form, as a link if it is a web address. */
function PageAddress({ url }: { url: string }) {
  if (!/^https?:\/\//.test(url)) return <span>{url}</span>
  return (
    <Anchor size="sm" href={url} target="_blank" rel="noopener noreferrer nofollow">
      {url}
    </Anchor>
  )
}
