import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { useElementSize, useMergedRef } from '@mantine/hooks'
import { IconCheck, IconDots } from '@tabler/icons-react'
import {
  type ComponentType,
  Fragment,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useRef,
} from 'react'
import { useTranslations } from 'use-intl'
import { shortcutText } from '#admin/lib/shortcuts.ts'
import { fittingGroups } from './fitting-groups.ts'
import classes from './format-bar.module.css'
import { insideLandmark } from './list-look.ts'

export interface BarTool {
  id: string
  label: string
  /** Its shortcut, as lib/shortcuts writes them: `mod+b`. */
  keys?: string
  icon: ComponentType<{ size: number }>
  /** Is it in force at the selection? Left out where that is no question. */
  active?: boolean
  /** In force unless something else was chosen: no news to a folded tool. */
  usual?: boolean
  disabled?: boolean
  run: () => void
}

/** Tools that stand together, and how soon they give way when there is no room: the highest number first. */
export interface BarGroup {
  tools: BarTool[]
  givesWay: number
}

interface FormatBarProps {
  ref?: Ref<HTMLDivElement>
  label: string
  groups: readonly BarGroup[]
  /** Menus that always stand before and behind the groups. */
  before?: ReactNode
  behind?: ReactNode
  /** How many those are. */
  menus: number
  /** What stands at the end of the bar and is no tool. */
  end?: ReactNode
}

/**
 * The tools above a text. One stop for Tab; arrows go from tool to tool. What has no room is in the menu at the end:
 * the bar is one line at every width, and nothing scrolls or is cut.
 */
export function FormatBar({ ref, label, groups, before, behind, menus, end }: FormatBarProps) {
  const t = useTranslations('fields.bar')
  const size = useElementSize<HTMLDivElement>()
  const bar = useRef<HTMLDivElement>(null)
  const merged = useMergedRef(ref, bar)
  const inBar = fittingGroups(
    groups.map(({ tools, givesWay }) => ({ buttons: tools.length, givesWay })),
    // Before it is measured: as on a phone.
    size.width || 300,
    menus,
  )
  const folded = groups.filter((_, index) => !inBar[index])
  const firstOfMenu = folded.flatMap(({ tools }) => tools).find((tool) => !tool.disabled)

  // The tool that Tab stops at may have been folded away.
  useEffect(() => {
    if (bar.current && !bar.current.querySelector('[data-tool][tabindex="0"]'))
      bar.current.querySelector('[data-tool]')?.setAttribute('tabindex', '0')
  })

  return (
    <div ref={merged} className={classes.bar}>
      <div ref={size.ref} className={classes.tools} role="toolbar" aria-label={label} onKeyDown={moveFocus}>
        {before}
        {groups
          .filter((_, index) => inBar[index])
          .map(({ tools }) => (
            <span key={tools[0]?.id} className={classes.group}>
              {tools.map((tool) => (
                <ToolButton key={tool.id} tool={tool} />
              ))}
            </span>
          ))}
        {behind}
        {folded.length > 0 && (
          <ToolMenu
            label={t('more')}
            icon={IconDots}
            isActive={folded.some((group) => group.tools.some(isOn))}
          >
            {folded.map(({ tools }, index) => (
              <Fragment key={tools[0]?.id}>
                {index > 0 && <Menu.Divider />}
                {tools.map((tool) => (
                  <Menu.Item
                    key={tool.id}
                    leftSection={<tool.icon size={16} />}
                    rightSection={isOn(tool) ? <IconCheck size={14} aria-label={t('active')} /> : null}
                    disabled={tool.disabled ?? false}
                    // Without it the focus would stay outside when the first item is disabled.
                    data-autofocus={tool === firstOfMenu || undefined}
                    onClick={() => afterMenu(tool.run)}
                  >
                    {tool.label}
                  </Menu.Item>
                ))}
              </Fragment>
            ))}
          </ToolMenu>
        )}
      </div>
      {end && <div className={classes.end}>{end}</div>}
    </div>
  )
}

const isOn = (tool: BarTool) => tool.active === true && !tool.usual

/** A menu gives the focus back to its button when it closes: what it did wants the focus after that. */
export function afterMenu(run: () => void): void {
  setTimeout(run, 0)
}

interface ToolMenuProps {
  label: string
  icon: ComponentType<{ size: number }>
  isActive?: boolean
  children: ReactNode
}

/** A button of the bar that opens a menu. */
export function ToolMenu({ label, icon: Icon, isActive = false, children }: ToolMenuProps) {
  return (
    <Menu portalProps={insideLandmark}>
      <Menu.Target>
        <ActionIcon
          variant={isActive ? 'light' : 'subtle'}
          color={isActive ? 'mizu' : 'gray'}
          size={30}
          aria-label={label}
          title={label}
          data-tool
          tabIndex={-1}
        >
          <Icon size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu}>{children}</Menu.Dropdown>
    </Menu>
  )
}

/** One tool with its name as a tooltip. */
export function ToolButton({ tool }: { tool: BarTool }) {
  const Icon = tool.icon
  return (
    <Tooltip label={tool.keys ? `${tool.label} ${shortcutText(tool.keys)}` : tool.label}>
      <ActionIcon
        data-tool
        tabIndex={-1}
        variant={tool.active ? 'light' : 'subtle'}
        color={tool.active ? 'mizu' : 'gray'}
        size={30}
        aria-label={tool.label}
        {...(tool.active === undefined ? {} : { 'aria-pressed': tool.active })}
        {...(tool.disabled ? { 'data-disabled': true, 'aria-disabled': true } : {})}
        // The selection in the text stays as it is.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => {
          if (!tool.disabled) tool.run()
        }}
      >
        <Icon size={17} />
      </ActionIcon>
    </Tooltip>
  )
}

/** Arrows, Home and End among the tools of a bar. */
export function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 }
  const step = steps[event.key]
  if (step === undefined && event.key !== 'Home' && event.key !== 'End') return
  const tools = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-tool]')]
  const at = tools.indexOf(event.target as HTMLElement)
  if (at < 0) return
  event.preventDefault()
  const next =
    step === undefined
      ? event.key === 'Home'
        ? 0
        : tools.length - 1
      : (at + step + tools.length) % tools.length
  for (const tool of tools) tool.tabIndex = -1
  const target = tools[next]
  if (!target) return
  target.tabIndex = 0
  target.focus()
}
