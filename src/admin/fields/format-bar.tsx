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
import { barSizes, fittingGroups } from './fitting-groups.ts'
import classes from './format-bar.module.css'
import { insideLandmark } from './list-look.ts'

export interface BarTool {
  id: string
  label: string
  /** The tool's shortcut in the notation of lib/shortcuts: `mod+b`. */
  keys?: string
  icon: ComponentType<{ size: number }>
  /** Whether the selection has the tool's format. Undefined for tools that only run an action. */
  active?: boolean
  /**
   * Whether `active` is the tool's default state, such as left alignment. The overflow menu does not mark the default
   * state.
   */
  usual?: boolean
  disabled?: boolean
  run: () => void
}

/** A group of tools. `givesWay`: groups with higher numbers move to the menu first. */
export interface BarGroup {
  tools: BarTool[]
  givesWay: number
}

interface FormatBarProps {
  ref?: Ref<HTMLDivElement>
  label: string
  groups: readonly BarGroup[]
  /** Menus that are always in the bar, before and after the groups. */
  before?: ReactNode
  behind?: ReactNode
  /** Number of menus in `before` and `behind`. */
  menus: number
  /** Content at the end of the bar that is not a tool. */
  end?: ReactNode
}

/**
 * The toolbar above a text. The toolbar is one tab stop; arrow keys move between its tools. Tools that do not fit into
 * one line move to a menu.
 */
export function FormatBar({ ref, label, groups, before, behind, menus, end }: FormatBarProps) {
  const t = useTranslations('fields.bar')
  const size = useElementSize<HTMLDivElement>()
  const bar = useRef<HTMLDivElement>(null)
  const merged = useMergedRef(ref, bar)
  const inBar = fittingGroups(
    groups.map(({ tools, givesWay }) => ({ buttons: tools.length, givesWay })),
    // The measured size includes the padding. Before the first measurement, a phone's width is assumed.
    (size.width || 300) - 2 * barSizes.padding,
    menus,
  )
  const folded = groups.filter((_, index) => !inBar[index])
  const firstOfMenu = folded.flatMap(({ tools }) => tools).find((tool) => !tool.disabled)

  // The tool with `tabindex=0` may have moved to the menu.
  useEffect(() => {
    if (bar.current && !bar.current.querySelector('[data-tool][tabindex="0"]'))
      bar.current.querySelector('[data-tool]')?.setAttribute('tabindex', '0')
  })

  return (
    <div ref={merged} className={classes.bar} data-format-bar>
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
                    // Otherwise the focus would not enter the menu if the first item is disabled.
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

/**
 * Runs an action after its menu has closed. An action that moves the focus before that would lose it again, because the
 * menu then returns the focus to its button.
 */
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

/** A tool button with its name as a tooltip. */
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
        // Keeps the selection in the text.
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

/** Moves the focus between the tools of a bar on arrow keys, Home and End. */
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
